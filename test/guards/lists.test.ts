/** Everything that is declared once is listed everywhere else: settings, errors, pools, decisions, dependencies. */
import { existsSync, readFileSync } from 'node:fs';
import type { JsonSchema } from '../../api/http/json-schema.js';
import { errorCodesOfEndpoint, toOpenApi } from '../../api/http/to-openapi.js';
import { en } from '../../api/pages/texts/en.js';
import { callbacks, endpoints } from '../../api/routes.js';
import { type Setting, settings } from '../../config/schema.js';
import { errorCatalogue } from '../../shared/contract/error-catalogue.js';
import { metricEvents } from '../../shared/metrics.js';
import { poolNames } from '../../workers/pools.js';
import { files, filesIn, textOf } from './source-tree.js';

const sorted = (values: Iterable<string>) => [...new Set(values)].sort();
const all = Object.entries(settings) as [string, Setting][];

describe('settings', () => {
  test('each is in .env.example and in docs/configuration.md, and .env.example has no other', () => {
    const names = sorted(all.map(([, { env }]) => env));
    const example = [...textOf('.env.example').matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
    const page = [...textOf('docs/configuration.md').matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map(
      ([, name = '']) => name,
    );
    expect(sorted(example)).toEqual(names);
    for (const name of names) expect(page).toContain(name);
  });

  test('each is used by some code', () => {
    // Some are only rules of the start, in config itself. The lists of settings, and the list of who reads which, do not count as a use.
    const code = filesIn(['api', 'workers', 'shared', 'config'], /\.ts$/)
      .filter(({ text }) => !/satisfies Record<(string, Setting|SettingName, readonly ProcessName\[\])>/.test(text))
      .map(({ text }) => text)
      .join('\n');
    const unused = all.map(([name]) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(code));
    expect(unused.map((name) => `${name} is read by no code: use it, or remove it from config`)).toEqual([]);
  });

  test('no secret has a default, and every setting with a secret is marked as one', () => {
    for (const [, { env, secret, default: byDefault }] of all) {
      if (secret) expect([env, byDefault]).toEqual([env, undefined]);
      if (/PASSWORD|SECRET|PEPPER|_KEYS?$|_URI$|REDIS_URL/.test(env)) expect([env, secret]).toEqual([env, true]);
    }
  });
});

describe('error codes', () => {
  const rowsOf = (page: string) => [...page.matchAll(/^\| `([A-Za-z_-]+)` \| (\d{3}) \|/gm)];

  test('each has its row with its status in docs/errors.md, and each row has a code', () => {
    const rows = rowsOf(textOf('docs/errors.md')).map(([, code = '', status]) => [code, Number(status)]);
    const codes = Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]);
    expect(rows.sort()).toEqual(codes.sort());
  });

  test('each is in docs/decisions.md, except two that only docs/api.md has', () => {
    const page = textOf('docs/decisions.md');
    // `invalid-card-number` / `-cvc`: a row may have only the endings.
    const spans = [...page.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
    const names = (code: string) =>
      spans.some((span) => span.split(' ').includes(code) || `invalid-card${span}` === code);
    const silent = Object.keys(errorCatalogue).filter((code) => !names(code));
    expect(silent.sort()).toEqual(['internal-error', 'unauthorized']);
  });

  test('each of the catalogue is used, and each that an endpoint declares is in the catalogue', () => {
    const code = filesIn(['api', 'workers', 'shared'], /\.ts$/).filter(({ name }) => name !== 'error-catalogue.ts');
    const unused = Object.keys(errorCatalogue).filter((name) => !code.some(({ text }) => text.includes(`'${name}'`)));
    expect(unused.filter((name) => !RESERVED.has(name))).toEqual([]);
    expect(sorted(endpoints.flatMap(errorCodesOfEndpoint)).filter((name) => !(name in errorCatalogue))).toEqual([]);
  });

  test('the published envelope lists the catalogue, and each code about a request is declared by an endpoint', () => {
    const { Error: envelope } = toOpenApi(endpoints, callbacks).components['schemas'] as Record<string, JsonSchema>;
    expect(envelope).toMatchObject({ properties: { code: { enum: sorted(Object.keys(errorCatalogue)) } } });
    const declared = new Set<string>(endpoints.flatMap(errorCodesOfEndpoint));
    const ofRequests = Object.entries(errorCatalogue).filter(([, { type }]) => type !== 'api-error');
    expect(ofRequests.map(([code]) => code).filter((code) => !declared.has(code))).toEqual([]);
  });

  test('each message of the catalogue is a sentence and names nothing internal', () => {
    for (const [code, { message, status }] of Object.entries(errorCatalogue)) {
      expect([code, message]).toEqual([code, expect.stringMatching(/^[A-Za-z].*\.$/)]);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(message).not.toMatch(/mongo|redis|bullmq|stack|exception|undefined/i);
    }
  });
});

/** Codes that the code throws without their literal name: 3DS, tokens and rate limits. */
const RESERVED: ReadonlySet<string> = new Set(['invalid-card-payment-method-token', 'too-many-requests']);

describe('endpoints', () => {
  test('each file that defines one is in api/routes.ts', () => {
    const routes = textOf('api/routes.ts');
    const defining = filesIn(['api'], /\.ts$/).filter(({ text }) => /^export const \w+ = defineEndpoint/m.test(text));
    expect(defining.length).toBeGreaterThan(50);
    expect(defining.map(({ path }) => path).filter((path) => !routes.includes(`'./${path.slice(4, -3)}.js'`))).toEqual(
      [],
    );
  });
});

test('each text of the pages is used', () => {
  const code = filesIn(['api'], /\.ts$/).filter(({ path }) => !path.startsWith('api/pages/texts/'));
  const shown = new Set(code.flatMap(({ text }) => text.match(/\w+/g) ?? []));
  const unused = Object.keys(en).filter((name) => !shown.has(name));
  expect(unused.map((name) => `${name}: show it, or remove it from api/pages/texts`)).toEqual([]);
});

describe('pools', () => {
  const folders = sorted(files.flatMap(({ path }) => /^workers\/([^/]+)\/\1-pool\.ts$/.exec(path)?.[1] ?? []));

  test('a folder, a pool, a Procfile line and a service of docker-compose belong together', () => {
    const names = sorted(poolNames);
    const procfile = [...textOf('Procfile').matchAll(/^([\w-]+): node (?:--\S+ )*(.+)$/gm)].map(
      ([, name = '', command = '']) => [name, command],
    );
    const compose = [
      ...textOf('docker-compose.yml').matchAll(
        /^ {2}([\w-]+):\n(?: {4}.*\n)*? {4}command: \[node, dist\/workers\/run\.js, ([\w-]+)\]/gm,
      ),
    ];
    expect(folders).toEqual(names);
    expect(procfile.sort()).toEqual(
      [...names.map((name) => [name, `dist/workers/run.js ${name}`]), ['web', 'dist/api/main.js']].sort(),
    );
    expect(compose.map(([, service, pool]) => [service, pool]).sort()).toEqual(names.map((name) => [name, name]));
    expect(textOf('docker-compose.yml')).toMatch(/^ {2}web:$/m);
  });
});

describe('docs/operations.md', () => {
  const code = filesIn(['api', 'workers', 'shared'], /\.ts$/);
  const page = textOf('docs/operations.md');
  const notSaid = (names: Iterable<string>) =>
    sorted(names)
      .filter((name) => !page.includes(`\`${name}\``))
      .map((name) => `${name} has no row in docs/operations.md: say what it means and what to do`);

  test('explains each warning and each error of the log', () => {
    const messages = code.flatMap(({ text }) => [...text.matchAll(/log\.(?:warn|error)\(\s*'([^']+)'/g)]);
    expect(messages.length).toBeGreaterThan(40);
    expect(notSaid(messages.map(([, message = '']) => message))).toEqual([]);
  });

  test('explains each counted event, and no other', () => {
    expect(notSaid(metricEvents)).toEqual([]);
    const [, rows = ''] = page.split('| `event` | counted when | act |');
    const named = [...(rows.split('\n\n')[0] ?? '').matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, event = '']) => event);
    expect(sorted(named)).toEqual(sorted(metricEvents));
  });

  test('has each line of the Procfile', () => {
    const rows = [...page.matchAll(/^\| `([a-z]+)` \| `(node [^`]+)` \|/gm)].map(
      ([, name, command]) => `${name}: ${command}`,
    );
    // The flags for Node are explained below the table.
    const lines = textOf('Procfile')
      .replaceAll(/ --\S+/g, '')
      .trim()
      .split('\n');
    expect(sorted(rows)).toEqual(sorted(lines));
  });
});

describe('docs/dependencies.md', () => {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<
    string,
    Record<string, string>
  >;
  const [, toRun = '', toBuild = ''] = textOf('docs/dependencies.md').split(/^## /m);
  const rowsOf = (part: string) =>
    [...part.matchAll(/^\| (@?[a-z][\w./-]*) \| (.{10,}) \|$/gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'package');

  test('has a row with a reason for each package, in the right table', () => {
    expect(rowsOf(toRun).sort()).toEqual(sorted(Object.keys(dependencies ?? {})));
    expect(rowsOf(toBuild).sort()).toEqual(sorted(Object.keys(devDependencies ?? {})));
  });

  test('each runtime package is used by runtime code', () => {
    // The command line of the operator runs in production too.
    const code = filesIn(['api', 'workers', 'shared', 'config', 'scripts/gateway', 'scripts/provisioning'], /\.ts$/)
      .map(({ text }) => text)
      .join('\n');
    // Packages installed before the code that will use them, on the same short list that the search for dead code reads.
    const { ignoreDependencies } = JSON.parse(textOf('knip.json')) as { ignoreDependencies: string[] };
    const unused = Object.keys(dependencies ?? {}).filter(
      (name) => !code.includes(`from '${name}`) && !code.includes(`resolve('${name}/`),
    );
    expect(unused.filter((name) => !ignoreDependencies.includes(name))).toEqual([]);
  });

  test('the licence of every runtime package is permissive', () => {
    const permissive =
      /^\(?(MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|Python-2\.0|CC0-1\.0|Unlicense)\b/;
    interface Locked {
      readonly license?: string;
      readonly dev?: boolean;
    }
    const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> };
    const running = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
    // Older packages name their licence only in their own file. Builds for other platforms are not installed: their scope has it.
    const own = (path: string) => {
      if (!existsSync(`${path}/package.json`)) return undefined;
      const { license, licenses } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));
      return license ?? licenses?.[0]?.type;
    };
    const ofScope = (path: string) => {
      const scope = /^node_modules\/@[^/]+\//.exec(path)?.[0];
      return scope && running.find(([other, { license }]) => other.startsWith(scope) && license)?.[1].license;
    };
    const licenceOf = (path: string, { license }: Locked): string => license ?? own(path) ?? ofScope(path) ?? '';
    expect(running.length).toBeGreaterThan(50);
    const others = running.filter(([path, locked]) => !permissive.test(licenceOf(path, locked)));
    expect(others.map(([path, locked]) => `${path}: ${licenceOf(path, locked)}`)).toEqual([]);
  });
});
