/** Makes the adapter of a processor, its settings and its conformance test, and enters it in the list. It overwrites nothing. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Problem } from '../setup/problem.mjs';
import { namesOf } from './processor-names.mjs';

/** @typedef {import('./processor-names.mjs').Names} Names */

const TEMPLATES = join(import.meta.dirname, 'templates');
const REGISTRY = 'shared/processors/registry.ts';
const SETTINGS = 'config/processor-settings.ts';

/** @param {Names} names @returns {Record<string, string>} path in the project, and its template */
const filesOf = ({ code }) => ({
  [`shared/processors/${code}/README.md`]: 'README.md.txt',
  [`shared/processors/${code}/answer.schema.ts`]: 'answer.schema.ts.txt',
  [`shared/processors/${code}/create-${code}-processor.ts`]: 'create-processor.ts.txt',
  [`shared/processors/${code}/to-outcome.ts`]: 'to-outcome.ts.txt',
  [`shared/processors/${code}/wire.ts`]: 'wire.ts.txt',
  [`test/conformance/${code}.test.ts`]: 'conformance.test.ts.txt',
  [`test/processors/${code}/${code}-server.ts`]: 'server.ts.txt',
});

/** @param {string} template @param {Names} names */
const fillTemplate = (template, names) =>
  readFileSync(join(TEMPLATES, template), 'utf8').replaceAll(
    /\{\{(code|Pascal|camel|CONSTANT)\}\}/g,
    (_, name) => names[/** @type {keyof Names} */ (name)],
  );

/**
 * @param {string} text
 * @param {string} before text in front of which the addition is inserted; it occurs once
 * @param {string} addition
 * @param {string} path
 */
function insert(text, before, addition, path) {
  if (text.split(before).length !== 2)
    throw new Problem(`${path} has not one line "${before.trim()}": enter it by hand.`);
  return text.replace(before, () => addition + before);
}

/** @param {string} text @param {Names} names */
function addToRegistry(text, { code, Pascal, camel }) {
  const first = 'import { createSandboxProcessor }';
  const line = `import { create${Pascal}Processor } from './${code}/create-${code}-processor.js';\n`;
  const entry = `  '${code}': ({ ${camel}Url: baseUrl, ${camel}ApiKey: apiKey, processorTimeoutMs: timeoutMs }, log) =>
    baseUrl === undefined || apiKey === undefined
      ? undefined
      : create${Pascal}Processor({ baseUrl, apiKey, timeoutMs, log }),\n`;
  return insert(insert(text, first, line, REGISTRY), '} as const satisfies Record<string, Create>', entry, REGISTRY);
}

/** @param {string} text @param {Names} names */
function addSettings(text, { code, camel, CONSTANT }) {
  const settings = `
  ${camel}Url: {
    env: '${CONSTANT}_URL',
    kind: 'url',
    about: 'Address of the processor ${code}. Not set: payments cannot be sent to it.',
  },
  ${camel}ApiKey: {
    env: '${CONSTANT}_API_KEY',
    kind: 'string',
    secret: true,
    about: 'API key at the processor ${code}.',
  },
`;
  return insert(text, '} as const satisfies Record<string, Setting>', settings, SETTINGS);
}

/**
 * Finds existing settings, of the gateway and of other processors, that would have the same names: `redis` for REDIS_URL.
 * @param {string} root @param {Names} names
 */
function takenSetting(root, { CONSTANT }) {
  const config = readdirSync(join(root, 'config')).filter((name) => name.endsWith('.ts'));
  const texts = config.map((name) => readFileSync(join(root, 'config', name), 'utf8'));
  return [`${CONSTANT}_URL`, `${CONSTANT}_API_KEY`].find((env) => texts.some((text) => text.includes(`env: '${env}'`)));
}

/** @param {string} root @param {Names} names @param {readonly string[]} paths */
function refuseTaken(root, names, paths) {
  const registry = readFileSync(join(root, REGISTRY), 'utf8');
  if (new RegExp(`^ {2}'?${names.code}'?:`, 'm').test(registry)) {
    throw new Problem(`There is a processor ${names.code} already: it is in ${REGISTRY}.`);
  }
  const taken = [dirname(paths[0] ?? ''), ...paths].find((path) => existsSync(join(root, path)));
  if (taken)
    throw new Problem(`${taken} is there already, and nothing is overwritten: remove it, or take another code.`);
  const setting = takenSetting(root, names);
  if (setting) throw new Problem(`${setting} is another setting already: take another code than ${names.code}.`);
}

/** @param {Names} names */
const nextSteps = ({ code, CONSTANT }) => `
Next:
  npm run test:unit -- test/conformance/${code}.test.ts   it conforms already, at an API that is made up
  shared/processors/${code}/README.md                     what to fill in, file by file
  npm run mock:processor ${code}                          a mock of the processor to pay at; it prints the next command
CONTRIBUTING.md, "Adding a processor", goes on from here: ${CONSTANT}_URL, ${CONSTANT}_API_KEY, a merchant, a payment.`;

/**
 * @param {object} given
 * @param {string} given.root of the project
 * @param {string | undefined} given.code
 * @param {(changed: readonly string[]) => void} given.derive formats the written files and generates what is derived from them
 * @param {(line: string) => void} given.print
 * @throws {Problem} when the processor cannot be made; then nothing was written
 */
export function makeProcessor({ root, code, derive, print }) {
  const names = namesOf(code);
  const templateByPath = Object.entries(filesOf(names));
  const paths = templateByPath.map(([path]) => path);
  refuseTaken(root, names, paths);
  const texts = templateByPath.map(([path, template]) => /** @type {const} */ ([path, fillTemplate(template, names)]));
  const lists = [REGISTRY, SETTINGS].map(
    (path) => /** @type {const} */ ([path, readFileSync(join(root, path), 'utf8')]),
  );
  const changed = lists.map(
    ([path, text]) => /** @type {const} */ ([path, (path === REGISTRY ? addToRegistry : addSettings)(text, names)]),
  );
  try {
    for (const [path, text] of texts) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text, { flag: 'wx' });
    }
    for (const [path, text] of changed) writeFileSync(join(root, path), text);
    derive([...paths.filter((path) => path.endsWith('.ts')), REGISTRY, SETTINGS]);
  } catch (error) {
    for (const folder of [`shared/processors/${names.code}`, `test/processors/${names.code}`]) {
      rmSync(join(root, folder), { recursive: true, force: true });
    }
    rmSync(join(root, `test/conformance/${names.code}.test.ts`), { force: true });
    for (const [path, text] of lists) writeFileSync(join(root, path), text);
    throw error;
  }
  for (const path of paths) print(`made     ${path}`);
  for (const path of [REGISTRY, SETTINGS]) print(`changed  ${path}`);
  print(nextSteps(names));
}
