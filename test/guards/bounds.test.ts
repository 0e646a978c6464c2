/** Every bound is in `config/`, with its unit in the name. Elsewhere a bound is not found, and two that belong together drift apart. */
import { limits } from '../../config/limits.js';
import { filesIn, type SourceFile, textOf } from './source-tree.js';

const NUMBER = String.raw`-?\d[\d_]+`;
/** Numbers of two digits or more where a bound is set, and constants with the name of a bound. */
const BOUNDS = [
  new RegExp(String.raw`\.(max|min|length|limit|truncate)\(${NUMBER}`),
  new RegExp(String.raw`\btext\(${NUMBER}\)`),
  /\.slice\((0, |-)\d{2,}\)/,
  new RegExp(String.raw`(setTimeout|setInterval|AbortSignal\.timeout|sleep|pause|delay)\((.*, ?)?${NUMBER}\)`),
  /\bretryAfterSeconds: \d/,
  /\bconst [A-Z\d_]*(MAX|_MS|_SECONDS|TRIES|KEPT|REMEMBERED|TIMEOUT|GROWTH)(_[A-Z]+)* = [\d(][\d_.]*/,
];

/** Lines that look like a bound but are none, or that have to stay where they are. Each entry must be needed. */
const SPARED: readonly { readonly path: RegExp; readonly line?: RegExp; readonly why: string }[] = [
  { path: /^shared\/domain\//, why: 'the domain reads no configuration: a bound of its own is a named constant' },
  { path: /^shared\/(processors|threeds-providers)\/[^/]+\//, why: 'an adapter says what the other side may send' },
  { path: /./, line: /const (MINUTE|SECOND|HOUR|DAY)_(MS|SECONDS) = /, why: 'a unit' },
  { path: /./, line: /const INT32_MAX = /, why: 'what a 32-bit integer holds' },
  {
    path: /^shared\/contract\/joi-types\.ts$/,
    line: /SIGNIFICANT_DIGITS|OFFSET_HOURS/,
    why: 'of a double, of ISO 8601',
  },
  { path: /^shared\/wallets\/wallet-b\/well-formed\.ts$/, line: /LENGTH_BYTES_MAX/, why: 'of the format (DER)' },
  {
    path: /^api\/payments\/card\.schema\.ts$/,
    line: /\.(min|max)\((12|2000|9999)\)/,
    why: 'months, and years of four digits',
  },
  { path: /^api\/pages\/views\//, line: /const \w+_MAX = /, why: 'how a page is laid out' },
  { path: /^api\/merchants\/tax-id\.ts$/, line: /slice\(0, 1[12]\)/, why: 'digits of a CNPJ and a RUT' },
  { path: /^(shared\/store|scripts\/gateway)\//, line: /toISOString\(\)\.slice\(0, 10\)/, why: 'the day of a time' },
  { path: /^shared\/store\/processor-update/, line: /digest\.slice\(0, 40\)/, why: 'digits of an id that is stored' },
  { path: /^api\/wallets\/payment-data-request\.ts$/, line: /DECIMALS_MAX/, why: 'of the format of the wallet' },
];

/** `bench/` is left out: its bounds concern its own measurements, not the gateway. */
const product = filesIn(['api', 'shared', 'workers', 'scripts/gateway', 'scripts/provisioning'], /\.ts$/);

interface Found {
  readonly path: string;
  readonly line: string;
  readonly at: number;
}

const boundsIn = ({ path, text }: Pick<SourceFile, 'path' | 'text'>): Found[] =>
  text
    .split('\n')
    .flatMap((line, index) => (BOUNDS.some((bound) => bound.test(line)) ? [{ path, line, at: index + 1 }] : []));

const spares = (found: Found) =>
  SPARED.filter(({ path, line }) => path.test(found.path) && (line === undefined || line.test(found.line)));

test('every bound is in config/', () => {
  expect(product.length).toBeGreaterThan(300);
  const strays = product.flatMap(boundsIn).filter((found) => spares(found).length === 0);
  expect(strays.map(({ path, at, line }) => `${path}:${at} ${line.trim()}`)).toEqual([]);
});

test('every exception is needed', () => {
  const used = new Set(product.flatMap(boundsIn).flatMap(spares));
  expect(SPARED.filter((spared) => !used.has(spared))).toEqual([]);
});

test.each([
  'name: Joi.string().max(200).required(),',
  'userAgent: nullable(text(1_024)),',
  'setTimeout(stop, 5_000);',
  'const signal = AbortSignal.timeout(10_000);',
  'const LOG_PAUSE_MS = 10_000;',
  'text.slice(0, 200)',
  'const EVENTS_KEPT = 12;',
])('a bound is detected: %s', (text) => {
  expect(boundsIn({ path: 'api/x.ts', text })).toHaveLength(1);
});

test('every bound is used by some code', () => {
  const readers = filesIn(['api', 'bench', 'shared', 'workers', 'scripts'], /\.(ts|mjs)$/);
  const code = [...readers, ...filesIn(['config'], /(?<!limits)\.ts$/)].map(({ text }) => text).join('\n');
  expect(Object.keys(limits).filter((name) => !new RegExp(String.raw`\b${name}\b`).test(code))).toEqual([]);
});

test('the parts of the limits do not overwrite each other', () => {
  const whole = textOf('config/limits.ts');
  const parts = [...whole.matchAll(/from '\.\/(.+)\.js'/g)].map(([, name]) => textOf(`config/${name}.ts`));
  const names = [whole, ...parts].flatMap((text) => [...text.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name));
  expect(parts.length).toBeGreaterThan(5);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(Object.keys(limits).length);
});
