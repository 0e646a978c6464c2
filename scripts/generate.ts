/**
 * Writes the files that are derived from the code: `api/openapi.json`, `.env.example`, `docs/states.md`, `docs/errors.md`,
 * `docs/test-cards.md`, the table in `docs/configuration.md`, the list in `docs/command-line.md`, the capabilities of processors in
 * `shared/processors/capability-table.ts` and the brands in `api/pages/assets/card-form.js`.
 * With `--check` it writes nothing and fails when one of these files is stale.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toOpenApi } from '../api/http/to-openapi.js';
import { brandTable } from '../api/pages/brand-table.js';
import { callbacks, endpoints } from '../api/routes.js';
import { readersText } from '../config/readers.js';
import { type Setting, type SettingName, settings } from '../config/schema.js';
import { capabilityTableText } from './capability-table.js';
import { commandGroups } from './gateway/commands/index.js';
import { renderCommandList } from './gateway/render-help.js';
import { errorsPage } from './generate/render-errors.js';
import { renderTestCards } from './generate/render-test-cards.js';
import { statesPage } from './generate/render-transitions.js';

const COMMANDS_START = '<!-- commands:start -->';
const COMMANDS_END = '<!-- commands:end -->';
const BRANDS_START = '// brands:start (from card-validator, by `npm run generate`)';
const BRANDS_END = '// brands:end';
const TABLE_START = '<!-- settings:start -->';
const TABLE_END = '<!-- settings:end -->';

const all = Object.entries(settings) as [SettingName, Setting][];

export const openApiText = () => `${JSON.stringify(toOpenApi(endpoints, callbacks), null, 2)}\n`;

const EXAMPLE_HEAD = `# Copy to .env and fill in what has no "#" in front. In production also set GATEWAY_ENVIRONMENT=production,
# PUBLIC_BASE_URL (https) and TRUSTED_PROXIES. Only docker compose and \`./gateway --env-file .env\` read this file; for other
# processes export it: \`set -a; . ./.env; set +a\`. Put an address with \`&\` into single quotes, or the shell
# drops it: MONGODB_URI='mongodb://…?replicaSet=rs0&authSource=admin'. See docs/configuration.md. A process reads only what names it.
# A secret can be in a file instead: OPERATOR_PASSWORD_FILE names one that holds OPERATOR_PASSWORD, and so for each. With
# docker-compose.yml leave all secrets empty here: it takes them from the folder that \`npm run secrets\` makes.
`;

/** Renders `.env.example`: every setting with its meaning. Settings with a default are commented out. */
export function envExampleText(): string {
  const blocks = all.map(([name, setting]) => {
    const line = `${setting.env}=${setting.default ?? ''}`;
    const read = `Read by: ${readersText(name)}.${setting.secret ? ' Secret.' : ''}`;
    return `# ${setting.about} ${read}\n${setting.required ? line : `# ${line}`}\n`;
  });
  return `${EXAMPLE_HEAD}\n${blocks.join('\n')}`;
}

function boundsOf({ kind, values, min, max }: Setting): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  return min === undefined && max === undefined ? kind : `${kind}, ${min ?? ''} to ${max ?? ''}`;
}

function settingsTable(): string {
  const rows = all.map(([name, setting]) => {
    const byDefault = setting.required
      ? '**required**'
      : setting.default === undefined
        ? 'not set'
        : `\`${setting.default}\``;
    return `| \`${setting.env}\`${setting.secret ? ' (secret)' : ''} | ${boundsOf(setting)} | ${byDefault} | ${readersText(name)} | ${setting.about} |`;
  });
  return ['| setting | kind | default | read by | meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** Replaces the text between two marks. What people wrote around it stays. */
function between(page: string, [from, to]: readonly [string, string], text: string, path: string): string {
  const start = page.indexOf(from);
  const end = page.indexOf(to);
  if (start === -1 || end < start) throw new Error(`${path} must hold ${from} and ${to}`);
  return `${page.slice(0, start + from.length)}\n${text}\n${page.slice(end)}`;
}

/** Returns the page with its table of settings replaced. */
export function configurationText(current: string | undefined): string {
  const page =
    current ?? `# Configuration\n\nAll settings are environment variables.\n\n${TABLE_START}\n${TABLE_END}\n`;
  return between(page, [TABLE_START, TABLE_END], settingsTable(), 'docs/configuration.md');
}

/** Returns the page with its list of commands replaced. */
export function commandLineText(current: string | undefined): string {
  const page = current ?? `# Operator command line\n\n${COMMANDS_START}\n${COMMANDS_END}\n`;
  return between(page, [COMMANDS_START, COMMANDS_END], renderCommandList(commandGroups), 'docs/command-line.md');
}

/** Returns the script of the card form with its table of brands replaced. */
export function cardFormText(current: string | undefined): string {
  const table = `const BRANDS = \`\n${brandTable()}\n\`;`;
  return between(current ?? '', [BRANDS_START, BRANDS_END], table, 'api/pages/assets/card-form.js');
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** Finds the generated files that are missing or out of date, each with the text it should have. */
export function staleFiles(): { path: string; text: string }[] {
  const configuration = 'docs/configuration.md';
  const commandLine = 'docs/command-line.md';
  const cardForm = 'api/pages/assets/card-form.js';
  const wanted = [
    { path: 'api/openapi.json', text: openApiText() },
    { path: '.env.example', text: envExampleText() },
    { path: 'docs/test-cards.md', text: renderTestCards() },
    { path: 'shared/processors/capability-table.ts', text: capabilityTableText() },
    { path: 'docs/states.md', text: statesPage() },
    { path: 'docs/errors.md', text: errorsPage() },
    { path: configuration, text: configurationText(read(resolve(root, configuration))) },
    { path: commandLine, text: commandLineText(read(resolve(root, commandLine))) },
    { path: cardForm, text: cardFormText(read(resolve(root, cardForm))) },
  ];
  return wanted.filter(({ path, text }) => read(resolve(root, path)) !== text);
}

function run(check: boolean): void {
  const stale = staleFiles();
  for (const { path, text } of stale) {
    console.log(`${check ? 'stale' : 'written'}: ${path}`);
    if (check) continue;
    mkdirSync(dirname(resolve(root, path)), { recursive: true });
    writeFileSync(resolve(root, path), text);
  }
  if (check && stale.length > 0) {
    console.error('Run `npm run generate` and commit the result.');
    process.exitCode = 1;
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  run(process.argv.includes('--check'));
