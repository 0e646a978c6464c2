/**
 * Writes what is derived from the code: `api/openapi.json`, `.env.example`, `docs/states.md` and the table of
 * `docs/configuration.md`.
 * With `--check` it writes nothing and fails when one of them is stale.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endpoints } from '../api/endpoints/index.js';
import { toOpenApi } from '../api/http/to-openapi.js';
import { type Setting, settings } from '../config/schema.js';
import { statesPage } from '../shared/domain/payment/render-transitions.js';
import { renderTestCards } from '../shared/processors/sandbox/render-test-cards.js';

const TABLE_START = '<!-- settings:start -->';
const TABLE_END = '<!-- settings:end -->';

const all = Object.values(settings) as Setting[];

export const openApiText = () => `${JSON.stringify(toOpenApi(endpoints), null, 2)}\n`;

/** Every setting with its meaning; those with a default are commented out. */
export function envExampleText(): string {
  const blocks = all.map((setting) => {
    const line = `${setting.env}=${setting.default ?? ''}`;
    return `# ${setting.about}\n${setting.required ? line : `# ${line}`}\n`;
  });
  return `# Copy to .env and fill in what has no "#" in front. See docs/configuration.md.\n\n${blocks.join('\n')}`;
}

function boundsOf({ kind, values, min, max }: Setting): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  return min === undefined && max === undefined ? kind : `${kind}, ${min ?? ''} to ${max ?? ''}`;
}

function settingsTable(): string {
  const rows = all.map((setting) => {
    const byDefault = setting.required
      ? '**required**'
      : setting.default === undefined
        ? 'not set'
        : `\`${setting.default}\``;
    return `| \`${setting.env}\`${setting.secret ? ' (secret)' : ''} | ${boundsOf(setting)} | ${byDefault} | ${setting.about} |`;
  });
  return ['| setting | kind | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** The page with its table replaced; what people wrote around the table stays. */
export function configurationText(current: string | undefined): string {
  const page =
    current ?? `# Configuration\n\nAll settings are environment variables.\n\n${TABLE_START}\n${TABLE_END}\n`;
  const start = page.indexOf(TABLE_START);
  const end = page.indexOf(TABLE_END);
  if (start === -1 || end < start) throw new Error(`docs/configuration.md must hold ${TABLE_START} and ${TABLE_END}`);
  return `${page.slice(0, start + TABLE_START.length)}\n${settingsTable()}\n${page.slice(end)}`;
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** The generated files that are not as they should be, with what they should hold. */
export function staleFiles(): { path: string; text: string }[] {
  const configuration = 'docs/configuration.md';
  const wanted = [
    { path: 'api/openapi.json', text: openApiText() },
    { path: '.env.example', text: envExampleText() },
    { path: 'docs/test-cards.md', text: renderTestCards() },
    { path: 'docs/states.md', text: statesPage() },
    { path: configuration, text: configurationText(read(resolve(root, configuration))) },
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
