/** Builds the table of what each processor can do. It makes every adapter without a connection and looks at the methods that it has. */
import type { Config } from '../config/index.js';
import { processorSettings } from '../config/processor-settings.js';
import type { Setting } from '../config/setting.js';
import { createLog } from '../shared/log.js';
import { capabilitiesOf, type ProcessorCapabilities } from '../shared/processors/capabilities-of.js';
import { createProcessors, type ProcessorConfig } from '../shared/processors/registry.js';
import type { Database } from '../shared/store/database.js';

const NOWHERE = 'http://127.0.0.1:9';
const LINE_WIDTH = 120;

const HEAD = `/** What each processor can do, read from the adapters of \`registry.ts\`. Written by \`npm run generate\`: do not edit it. */
import type { ProcessorCapabilities } from './capabilities-of.js';

export const capabilityTable = {
`;
const TAIL = '} as const satisfies Record<string, ProcessorCapabilities>;\n';

/** Returns a configuration with every setting of every processor. Nothing is called, so any value of the right form will do. */
function everySetting(): ProcessorConfig {
  const placeholder = ({ kind, default: byDefault, values, env }: Setting): unknown => {
    // The reader of a `_FILE` setting would open the file.
    if (env.endsWith('_FILE')) return undefined;
    if (kind === 'url' || kind === 'https') return NOWHERE;
    if (kind === 'integer') return Number(byDefault ?? 1);
    return byDefault ?? values?.[0] ?? 'any';
  };
  const own = Object.entries<Setting>(processorSettings).map(([name, setting]) => [name, placeholder(setting)]);
  const digits = { iso8583AcquirerId: '1', iso8583MerchantCategory: '5999' };
  const config: Partial<Config> = { ...digits, sandboxProcessorUrl: NOWHERE, processorTimeoutMs: 1 };
  return { ...Object.fromEntries(own), ...config } as ProcessorConfig;
}

/** A database for adapters that want one. No query is sent. */
const noDatabase = { collection: () => ({}) } as unknown as Database;

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');

/** Renders one row of the table, laid out as the formatter would. */
function line(
  code: string,
  {
    dedupes,
    tombstones,
    refundNeedsPan,
    inquiresBySending,
    outcomesKeptHere,
    refuses = [],
    operations,
    merchantCredentials = [],
    merchantCredentialsOptional,
    accountCredential,
    updates,
  }: ProcessorCapabilities,
): string {
  const short = `    operations: [${quoted(operations)}],`;
  const long = `    operations: [\n${operations.map((name) => `      '${name}',\n`).join('')}    ],`;
  return [
    `  ${code.includes('-') ? `'${code}'` : code}: {`,
    `    dedupes: ${dedupes},`,
    `    tombstones: ${tombstones},`,
    `    refundNeedsPan: ${refundNeedsPan},`,
    ...(inquiresBySending ? ['    inquiresBySending: true,'] : []),
    ...(outcomesKeptHere ? ['    outcomesKeptHere: true,'] : []),
    ...(refuses.length > 0 ? [`    refuses: [${quoted(refuses)}],`] : []),
    short.length > LINE_WIDTH ? long : short,
    ...(merchantCredentials.length > 0 ? [`    merchantCredentials: [${quoted(merchantCredentials)}],`] : []),
    ...(merchantCredentialsOptional ? ['    merchantCredentialsOptional: true,'] : []),
    ...(accountCredential === undefined ? [] : [`    accountCredential: '${accountCredential}',`]),
    ...(updates ? ['    updates: true,'] : []),
    '  },\n',
  ].join('\n');
}

export function capabilityTableText(): string {
  const processors = createProcessors(everySetting(), createLog('generate', 'silent'), noDatabase);
  const lines = processors.codes.map((code) => {
    const processor = processors.get(code);
    return processor === undefined ? '' : line(code, capabilitiesOf(processor));
  });
  return HEAD + lines.join('') + TAIL;
}
