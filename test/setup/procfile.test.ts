import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../scripts/setup/paths.mjs';
import { parseProcfile, readProcfile } from '../../scripts/setup/procfile.mjs';

test('lines become names and arguments; comments and blank lines are ignored', () => {
  expect(parseProcfile('# the API\nweb: node dist/api/main.js\n\nqr:   node dist/workers/run.js  qr\n')).toEqual([
    { name: 'web', args: ['dist/api/main.js'] },
    { name: 'qr', args: ['dist/workers/run.js', 'qr'] },
  ]);
});

test.each([
  'web',
  'web node x.js',
  'Web: node x.js',
  'web: python x.py',
  'web: node',
  'web: node a.js\nweb: node b.js',
])('refuses %j', (text) => {
  expect(() => parseProcfile(text)).toThrow(/^Procfile: /);
});

const web = (readProcfile(root) as { name: string; args: string[] }[]).find(({ name }) => name === 'web');
const flags = (web?.args ?? []).filter((arg) => arg.startsWith('--'));

test('the Procfile has one line for web and one for each pool under workers/, with its name', () => {
  const pools = readdirSync(join(root, 'workers'), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && existsSync(join(root, 'workers', entry.name, `${entry.name}-pool.ts`)) ? [entry.name] : [],
  );
  const lines: { name: string; args: string[] }[] = readProcfile(root);
  expect(lines.map(({ name }) => name).sort()).toEqual([...pools, 'web'].sort());
  for (const { name, args } of lines) {
    expect(args).toEqual([...flags, ...(name === 'web' ? ['dist/api/main.js'] : ['dist/workers/run.js', name])]);
  }
});

test('every line has the same flags for Node, and the image sets them for every command', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  expect(flags).toEqual([
    expect.stringMatching(/^--max-old-space-size=\d+$/),
    '--max-semi-space-size=16',
    '--v8-pool-size=1',
  ]);
  expect(dockerfile).toContain(`\nENV NODE_OPTIONS="${flags.join(' ')}"\n`);
});

interface Service {
  readonly command?: readonly string[];
}

test('docker-compose.yml has a service per pool of the Procfile', () => {
  const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const { services } = parse(compose, { merge: true, maxAliasCount: -1 }) as { services: Record<string, Service> };
  const workers = Object.entries(services).filter(([, { command }]) => command?.includes('dist/workers/run.js'));
  const ran = workers.map(([name, { command = [] }]) => ({ name, args: command.slice(1) }));
  const lines = (readProcfile(root) as { name: string; args: string[] }[]).filter(({ name }) => name !== 'web');
  // The image sets the flags for Node.
  expect(ran).toEqual(lines.map(({ name, args }) => ({ name, args: args.slice(flags.length) })));
});
