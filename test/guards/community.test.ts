/** Files for visitors and for the machines of the project's host are true: commands exist, versions agree, nothing is invented. */
import { parse } from 'yaml';
import { files, textOf } from './source-tree.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Record<string, unknown>;
}
interface Job {
  readonly steps: readonly Step[];
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: { readonly node?: readonly string[] } };
}
interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Record<string, Job>;
}

const manifest = JSON.parse(textOf('package.json')) as { scripts: Record<string, string>; engines: { node: string } };
const workflow = parse(textOf('.github/workflows/ci.yml')) as Workflow;
const jobs = Object.entries(workflow.jobs);
const steps = jobs.flatMap(([, job]) => job.steps);
const gitlab = parse(textOf('.gitlab-ci.yml')) as Record<string, { script?: string[]; image?: string }>;
const pages = ['SECURITY.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md'];
const community = files.filter(
  ({ path }) => path.startsWith('.github/') || pages.includes(path) || path === '.gitlab-ci.yml',
);

test('every command that is named is in package.json', () => {
  const known = new Set([...Object.keys(manifest.scripts), 'ci', 'install']);
  const named = community.flatMap(({ path, text }) =>
    [...text.matchAll(/\bnpm (?:run )?([a-z][a-z0-9:]*)/g)].map(([, name = '']) => [path, name] as const),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter(([, name]) => !known.has(name))).toEqual([]);
});

test('both hosts check the commits, run `npm run check` and run all tests like .ci/run', () => {
  const commands = {
    github: steps.map(({ run = '' }) => run),
    gitlab: Object.values(gitlab).flatMap((job) => job.script ?? []),
  };
  for (const [host, run] of Object.entries(commands)) {
    const found = [/^npm run commits -- /, /^npm run check$/, /^\.ci\/run$/].map((wanted) =>
      run.some((line) => wanted.test(line)),
    );
    expect([host, found]).toEqual([host, [true, true, true]]);
  }
});

test('the workflow may only read, has time limits, and uses actions that are pinned', () => {
  expect(workflow.permissions).toEqual({ contents: 'read' });
  expect(jobs.filter(([, job]) => !job['timeout-minutes']).map(([name]) => name)).toEqual([]);
  const actions = steps.flatMap(({ uses }) => uses ?? []);
  expect(actions.length).toBeGreaterThan(3);
  expect(actions.filter((action) => !/^actions\/[a-z-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
});

test('the workflows run on the Node of .nvmrc and of the image, and on the oldest supported ones', () => {
  const asked = steps.flatMap(({ uses, with: input }) => (uses?.startsWith('actions/setup-node@') ? [input] : []));
  expect(asked.filter((input) => input?.['node-version-file'] === '.nvmrc').length).toBeGreaterThan(0);
  const oldest = [...manifest.engines.node.matchAll(/\^(\d+\.\d+)/g)].map(([, version]) => version);
  expect(workflow.jobs['unit']?.strategy?.matrix.node).toEqual(oldest);
  const image = /^FROM (node:[\d.]+-bookworm)/m.exec(textOf('Dockerfile'))?.[1];
  expect(gitlab['default']?.image).toBe(image);
});

test('updates are requested for everything that is pinned', () => {
  const { updates } = parse(textOf('.github/dependabot.yml')) as { updates: { 'package-ecosystem': string }[] };
  const kinds = updates.map((update) => update['package-ecosystem']);
  expect(kinds).toEqual(['npm', 'docker', 'docker-compose', 'github-actions']);
});

test('the settings of editors match the formatter', () => {
  const { formatter } = JSON.parse(textOf('biome.json'));
  const settings = textOf('.editorconfig');
  expect(settings).toContain(`indent_style = ${formatter.indentStyle}\nindent_size = ${formatter.indentWidth}\n`);
  expect(settings).toContain(`max_line_length = ${formatter.lineWidth}\n`);
});

test('no address or host is invented', () => {
  const addresses = community.flatMap(({ path, text }) => {
    const found = text.match(/[\w.+-]+@[\w-]+\.[a-z]{2,}\b|https?:\/\/[^\s)]+/gi) ?? [];
    return found.map((address) => `${path}: ${address}`);
  });
  expect(addresses).toEqual([]);
});
