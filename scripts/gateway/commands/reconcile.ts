import { limits } from '../../../config/limits.js';
import { type ProcessorSettingName, processorSettings } from '../../../config/processor-settings.js';
import { renderCallback } from '../../../shared/contract/present-payment.js';
import { toDecimalText } from '../../../shared/domain/money/amount.js';
import { makeSchedule } from '../../../shared/domain/schedule.js';
import { after } from '../../../shared/domain/time.js';
import { newTransactionId } from '../../../shared/ids.js';
import { createLog } from '../../../shared/log.js';
import { isProcessorCode } from '../../../shared/processors/capabilities.js';
import type { Processor } from '../../../shared/processors/processor.js';
import { createProcessors, type ProcessorConfig } from '../../../shared/processors/registry.js';
import type { FindingRow } from '../../../shared/store/book-finding.repository.js';
import type { Database } from '../../../shared/store/database.js';
import { findProcessorsInUse } from '../../../shared/store/merchant-payment-method.repository.js';
import { readSafeMode, type SafeMode } from '../../../shared/store/restore-watch.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import { type Reconciled, reconcile } from '../../provisioning/reconcile.js';
import { type CommandGroup, type Input, type Row, type Tools, UsageError } from '../command.js';
import { readPastMoment } from '../read-values.js';
import { table } from '../render-result.js';

const path = ['reconcile'];

/** What a person has to do when the gateway did nothing by itself. */
const adviceByKind: Record<FindingRow['kind'], string> = {
  'unknown-payment': 'no payment has it: --import uses its reference up; then refund it there, or have it delivered',
  'unknown-operation': 'its payment lacks it: --import records it',
  'not-settled': 'the outcome is known there: --import records it',
  contradicted: 'ask the processor which is true; refund it there, or correct the merchant',
  missing: 'ask the processor which is true: the merchant may have delivered unpaid',
  'amount-differs': 'ask the processor which amount is true',
  doubled: 'have one of the two taken back at the processor',
};

/** Returns the gateway's own amount, where the processor has another one. An earlier release did not store its currency. */
function heldOf({ heldMinor, currency, heldCurrency = currency }: FindingRow): Row {
  if (heldMinor === undefined) return {};
  return { gatewayAmount: toDecimalText(heldMinor, heldCurrency), gatewayCurrency: heldCurrency };
}

export const findingRow = (row: FindingRow): Row => ({
  findingId: row._id,
  status: row.status,
  paymentId: row.paymentId,
  referenceId: row.referenceId,
  merchantId: row.merchantId,
  amount: toDecimalText(row.amountMinor, row.currency),
  currency: row.currency,
  ...heldOf(row),
  at: row.at,
  todo: row.note ?? adviceByKind[row.kind],
});

/**
 * By default starts before `from`, which may be the last mark that a backup of a running gateway took: payments in it can be older, by as
 * long as the backup took, and clocks of processors are off.
 */
function sinceOf(input: Input, now: Date, from: Date | undefined): Date {
  const text = input.optional('since');
  if (text === undefined) return after(from ?? now, -limits.booksDefaultSinceMs);
  return readPastMoment(text, 'since', now);
}

/** Returns the processors that were named; without a name all. */
function choose(codes: readonly string[], configured: readonly Processor[]): readonly Processor[] {
  const unknown = codes.find((code) => !configured.some((processor) => processor.code === code));
  if (unknown !== undefined) throw new ProvisioningError(`These settings configure no processor ${unknown}.`);
  return codes.length === 0 ? configured : configured.filter(({ code }) => codes.includes(code));
}

/**
 * Returns the processors that merchants are configured for. In safe mode all processors of this installation: a merchant that changed its
 * processor still refunds and captures at the former one.
 */
async function processorsToCompare(database: Database, configured: readonly string[], safeMode: SafeMode | undefined) {
  const inUse = await findProcessorsInUse(database);
  return safeMode ? [...new Set([...inUse, ...configured])].sort() : inUse;
}

/** Reads the processors compared by hand, which may include one that these settings do not configure any more. */
function comparedOf(input: Input): readonly string[] {
  const codes = input.list('compared');
  const unknown = codes.find((code) => !isProcessorCode(code));
  if (unknown !== undefined) throw new UsageError(`--compared: there is no processor "${unknown}".`, path);
  return codes;
}

const list = (codes: readonly string[]) => (codes.length > 0 ? codes.join(', ') : 'none');

function judgementOf(listed: readonly string[], open: number, imported: number): string {
  if (listed.length === 0) return 'Nothing was compared: none of these processors lists its books.';
  return open + imported === 0 ? 'Nothing differs.' : `Open: ${open}. Imported: ${imported}.`;
}

function textOf({
  since,
  until,
  findings,
  listed,
  unlisted,
  safeMode,
  blockedBy,
  distrusted,
  held,
}: Reconciled): string {
  const open = findings.filter(({ status }) => status === 'open').length;
  const imported = findings.length - open;
  return [
    ...(findings.length > 0 ? [table(findings.map(findingRow)), ''] : []),
    `Compared from ${since.toISOString()} to ${until.toISOString()}: ${list(listed)}.`,
    ...(unlisted.length > 0
      ? [`Cannot be listed: ${unlisted.join(', ')}. Their unknown outcomes are settled by inquiries and updates.`]
      : []),
    judgementOf(listed, open, imported),
    ...(safeMode === 'on' ? ['', 'Safe mode goes on:', ...blockedBy.map((reason) => `  ${reason}`)] : []),
    ...(safeMode === 'ended'
      ? ['', `Safe mode is over. Asked about before anything is sent: ${distrusted} payments.`]
      : []),
    ...(held.length > 0
      ? [`Held for a person: ${held.join(', ')}. Their delayed capture or release may have been done before.`]
      : []),
  ].join('\n');
}

async function run(input: Input, { database, provisioning, config, record, progress }: Tools) {
  const { clock } = provisioning;
  const settings = config as ProcessorConfig & { timeScale: number };
  const processors = createProcessors(settings, createLog('reconcile', 'silent'), database);
  try {
    const configured = processors.codes.map((code) => processors.get(code) as Processor);
    const safeMode = await readSafeMode(database);
    if (safeMode && !safeMode.from && input.optional('since') === undefined) {
      throw new UsageError('The database does not say how old it is: say --since when the backup was begun.', path);
    }
    const named = input.list('processor');
    const chosen = choose(named, configured);
    const schedule = makeSchedule(limits, settings);
    const since = sinceOf(input, clock.now(), safeMode?.from);
    // Recorded at the start: importing takes long, and what is imported before a cut-off stays.
    if (input.flag('import')) await record({ action: 'books.import-begun', object: `since ${since.toISOString()}` });
    const done = await reconcile(
      {
        ...{ database, provisioning, progress },
        processors: chosen,
        wanted:
          safeMode || named.length === 0 ? await processorsToCompare(database, processors.codes, safeMode) : named,
        planContext: () => ({ now: clock.now(), renderCallback, schedule, newTxId: newTransactionId }),
      },
      {
        since,
        imports: input.flag('import'),
        compared: comparedOf(input),
      },
    );
    if (input.flag('import')) {
      await record({
        action: 'books.reconciled',
        object: `safe mode ${done.safeMode}, ${done.findings.length} findings`,
      });
    }
    // When no books could be listed here, safe mode only ends if a person compared them.
    const compared = done.listed.length > 0 || done.safeMode === 'ended';
    const fine = compared && done.safeMode !== 'on' && done.findings.every(({ status }) => status !== 'open');
    const answer = { ...done, findings: done.findings.map(findingRow) };
    return { kind: 'report', answer, text: textOf(done), fine } as const;
  } finally {
    await processors.close();
  }
}

export const reconciliation: CommandGroup = {
  name: 'reconcile',
  summary: 'Whether the books of the processors and the payments say the same.',
  commands: [
    {
      path,
      summary: 'Compares what processors list with what the payments hold, and says what differs and what to do.',
      details:
        'It needs the settings of the pool `processor`. Exit code 1: something differs, nothing was compared, or safe mode goes on. In safe mode (after a restore) it compares from a day before the end of the backup on, since a backup of a running gateway takes a while; with --import it takes over what the payments lack and ends safe mode. Outside of it, it compares the last 24 hours, without what may still be in progress.',
      options: {
        since: { value: '<time>', about: 'From when on: a date (UTC where it has no offset), or how long ago (24h).' },
        processor: { value: '<processor>', about: 'These only.', multiple: true },
        import: { about: 'Take over what the payments lack, so that nothing is done twice.' },
        compared: {
          value: '<processor>',
          about: 'A person compared the books of this processor, which cannot be listed.',
          multiple: true,
        },
      },
      settings: [
        'sandboxProcessorUrl',
        'processorTimeoutMs',
        'timeScale',
        ...(Object.keys(processorSettings) as ProcessorSettingName[]),
      ],
      examples: ['reconcile', 'reconcile --since 7d --json', 'reconcile --import --compared stripe'],
      run,
    },
  ],
};
