/** What `npm ci` installs (docs/security.md#supply-chain): verified by checksum, from the public registry, without telemetry. */
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

/** Whether the package is a build of a development tool for another machine: npm writes its checksum only when it is installed. */
const isForeignBuild = ({ optional, os, cpu }: Entry) =>
  optional === true && (os !== undefined || cpu !== undefined) && !(os?.includes('linux') && cpu?.includes('x64'));

test('every package has a checksum, except builds for other machines', () => {
  expect(entries.length).toBeGreaterThan(300);
  const without = entries.filter(([, entry]) => entry.integrity === undefined && !isForeignBuild(entry));
  // Except the one for Linux with another C library: the registry copy that made the lockfile did not have it.
  expect(without.map(([path]) => path).filter((path) => !path.endsWith('-musl'))).toEqual([]);
});

test('checksums are SHA-512', () => {
  const weak = entries.filter(([, { integrity }]) => integrity !== undefined && !integrity.startsWith('sha512-'));
  expect(weak.map(([path]) => path)).toEqual([]);
});

test('every package comes from the public registry', () => {
  const elsewhere = entries.filter(
    ([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'),
  );
  expect(elsewhere.map(([path]) => path)).toEqual([]);
});

test('no telemetry is installed: an empty package replaces it', () => {
  const telemetry = entries.filter(
    ([path, { name }]) => path.endsWith('/@scarf/scarf') && name !== 'empty-npm-package',
  );
  expect(telemetry).toEqual([]);
  expect(textOf('.npmrc')).toMatch(/^ignore-scripts=true$/m);
});
