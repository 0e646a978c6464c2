/** What `npm ci` installs (docs/security.md#supply-chain): known by its checksum, from the public registry, without telemetry. */
import { textOf } from './source-tree.js';

interface Entry {
  readonly version?: string;
  readonly name?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Entry> };
const entries = Object.entries(packages).filter(([path]) => path !== '');

/** Builds of development tools for machines that are not used here: npm writes a checksum when one of them installs. */
const isForeignBuild = ({ optional, os, cpu }: Entry) =>
  optional === true && (os !== undefined || cpu !== undefined) && !(os?.includes('linux') && cpu?.includes('x64'));

test('every package has a checksum, but builds for other machines', () => {
  expect(entries.length).toBeGreaterThan(300);
  const without = entries.filter(([, entry]) => entry.integrity === undefined && !isForeignBuild(entry));
  // The one for Linux with another C library, which the registry's copy that made the lockfile did not have.
  expect(without.map(([path]) => path).filter((path) => !path.endsWith('-musl'))).toEqual([]);
});

test('checksums are SHA-512', () => {
  const weak = entries.filter(([, { integrity }]) => integrity !== undefined && !integrity.startsWith('sha512-'));
  expect(weak.map(([path]) => path)).toEqual([]);
});

test('no package comes from another place than the public registry', () => {
  const elsewhere = entries.filter(
    ([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'),
  );
  expect(elsewhere.map(([path]) => path)).toEqual([]);
});

test('no telemetry is installed: an empty package takes its place', () => {
  const telemetry = entries.filter(
    ([path, { name }]) => path.endsWith('/@scarf/scarf') && name !== 'empty-npm-package',
  );
  expect(telemetry).toEqual([]);
  expect(textOf('.npmrc')).toMatch(/^ignore-scripts=true$/m);
});
