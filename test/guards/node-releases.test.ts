/** The Node that everything runs on: one range that all packages support, one release in the image, and pinned images. */
import { createRequire } from 'node:module';
import { textOf } from './source-tree.js';

/** The part of the package that is used: it has no types of its own. */
interface Semver {
  readonly subset: (range: string, of: string) => boolean;
  readonly satisfies: (version: string, range: string) => boolean;
  readonly validRange: (range: string) => string | null;
}
const require = createRequire(import.meta.url);
const { subset, satisfies, validRange } = require('semver') as Semver;

interface Locked {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
}
const ours = (JSON.parse(textOf('package.json')) as { engines: { node: string } }).engines.node;
const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> };
const asking = Object.entries(packages).filter(([path, { engines }]) => path !== '' && engines?.node !== undefined);

/** Whether the package supports less than `engines` promises. */
const tooNarrow = (wanted: string) => validRange(wanted) === null || !subset(ours, wanted);

test('every package supports all releases of Node that `engines` names', () => {
  expect(asking.length).toBeGreaterThan(200);
  const narrow = asking.filter(([, { engines }]) => tooNarrow(engines?.node ?? ''));
  expect(narrow.map(([path, { version, engines }]) => `${path} ${version} needs ${engines?.node}`)).toEqual([]);
  expect(packages['']?.engines?.node).toBe(ours);
});

test.each(['>=22', '^18 || ^20.20', '20', 'latest release'])('a package that needs %s is detected', (wanted) =>
  expect(tooNarrow(wanted)).toBe(true),
);

test('the image, .nvmrc and a test script use one long-term release of the range', () => {
  const major = textOf('.nvmrc').trim();
  expect([major, satisfies(`${major}.99.0`, ours)]).toEqual(['24', true]);
  const images = [...textOf('Dockerfile').matchAll(/^FROM node:(\d+)\./gm)].map(([, found]) => found);
  expect(images).toEqual([major, major]);
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
  expect(scripts[`test:node${major}`]).toContain(`node@${major} node scripts/test.mjs`);
  // The range begins with the oldest supported release.
  expect(ours.startsWith('^20.19 ')).toBe(true);
});

/** Whether the image is pinned by its digest, or by the tag of one release: `name:1.2.3-variant`. */
const isPinned = (image: string) =>
  /@sha256:[0-9a-f]{64}$/.test(image) || /^[^:@]+:\d+\.\d+\.\d+(-[\w.-]+)?$/.test(image);

test('images are pinned', () => {
  const built = [...textOf('Dockerfile').matchAll(/^FROM (\S+)/gm)];
  const run = [...textOf('docker-compose.yml').matchAll(/^ +image: (\S+)$/gm)];
  const images = [...built, ...run].map(([, image = '']) => image).filter((image) => image !== 'payment-gateway');
  expect(images).toHaveLength(4);
  expect(images.filter((image) => !isPinned(image))).toEqual([]);
});

test.each(['node:24-bookworm-slim', 'redis:7', 'mongo', 'mongo:latest', 'redis:7.4', 'redis@sha256:abc'])(
  '%s is detected as not pinned',
  (image) => expect(isPinned(image)).toBe(false),
);
