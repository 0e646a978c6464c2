import { type AuditFilter, type AuditRecord, createAuditRepository } from '../../../shared/store/audit.repository.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import { type CommandGroup, type Input, UsageError } from '../command.js';
import { pageOptions, readPage } from '../list-page.js';
import { readHeads } from '../read-heads.js';
import { readPastMoment } from '../read-values.js';

const fieldByOption = {
  'client-id': 'clientId',
  'payment-id': 'paymentId',
  by: 'actor',
  action: 'action',
  outcome: 'outcome',
} as const;

/** Valid form of each option. A value that no entry can match would give an empty list, which would read as "did nothing". */
const forms: readonly (readonly [option: keyof typeof fieldByOption, form: RegExp, wanted: string])[] = [
  ['client-id', /^(cli_.+|installation)$/, 'the id of a client (cli_…), or installation'],
  ['payment-id', /^pay_./, 'the id of a payment: pay_…'],
  ['by', /^(key_.+|operator:.+|payer)$/, 'an API key (key_…), operator:<name> or payer'],
  ['outcome', /^(done|refused|failed)$/, 'done, refused or failed'],
];

/** @throws {UsageError} naming the option of another form */
function checkForms(input: Input): void {
  for (const [option, form, wanted] of forms) {
    const text = input.optional(option);
    if (text !== undefined && !form.test(text)) {
      throw new UsageError(`--${option} takes ${wanted}.`, ['audit', 'list']);
    }
  }
}

function filterOf(input: Input, now: Date): AuditFilter {
  checkForms(input);
  const text = input.optional('since');
  const since = text === undefined ? undefined : readPastMoment(text, 'since', now);
  const given = Object.entries(fieldByOption).flatMap(([option, field]) => {
    const value = input.optional(option);
    return value === undefined ? [] : [[field, value]];
  });
  return { ...Object.fromEntries(given), ...(since && { since }) };
}

export const audit: CommandGroup = {
  name: 'audit',
  summary: 'Who did what: every change of money, links, settings, keys and saved cards, done or refused.',
  commands: [
    {
      path: ['audit', 'list'],
      summary: 'Shows entries, newest first.',
      details:
        'Entries that one process wrote at once stand together: those of two processes may be 0.1 s out of order.',
      reads: true,
      options: {
        'client-id': { value: '<id>', about: 'Of this client: cli_…; `installation` for what is no client’s.' },
        'payment-id': { value: '<id>', about: 'About this payment: pay_…' },
        by: {
          value: '<actor>',
          about: 'By this API key (key_…), operator (operator:<name>) or `payer` (at a hosted page).',
        },
        action: { value: '<action>', about: 'Of this kind: refundPayment, key.revoked, ...' },
        outcome: { value: '<outcome>', about: 'done, refused or failed.' },
        since: {
          value: '<date>',
          about: 'From then on: 2027-01-31, 2027-01-31T12:00:00Z (UTC where it has no offset) or how long ago (24h).',
        },
        ...pageOptions,
      },
      examples: ['audit list --payment-id pay_…', 'audit list --client-id cli_… --outcome refused --since 2027-01-31'],
      async run(input, { database, provisioning }) {
        const repository = createAuditRepository(database, provisioning.clock);
        const filter = filterOf(input, provisioning.clock.now());
        const { found, more } = await readPage<AuditRecord>(
          input,
          ({ id }) => id,
          (limit, after) =>
            after === undefined ? repository.find(filter, limit) : repository.findAfter(after, filter, limit),
        );
        return {
          kind: 'rows',
          more,
          rows: found.map(({ id, traceId, ...entry }) => ({
            at: entry.at,
            actor: entry.actor,
            action: entry.action,
            object: entry.object,
            outcome: entry.outcome,
            code: entry.code ?? null,
            client: entry.clientId,
            payment: entry.paymentId ?? null,
            address: entry.address ?? null,
            traceId: traceId ?? null,
            entryId: id,
          })),
          empty: 'No entry found.',
        };
      },
    },
    {
      path: ['audit', 'verify'],
      summary: 'Checks that no entry was changed or taken away.',
      details:
        'Entries are stored in batches, which hang on chains, one per process. Each process writes the head of its chain to its log (audit.head): with --log a batch that was taken from the end, or a chain that was written anew, is found too, and beyondHeads counts the entries that no head of these logs vouches for: a few of the last seconds, or a chain that was put in. Give all logs, kept apart from MongoDB.',
      reads: true,
      options: { log: { value: '<file>', about: 'A log of the gateway.', multiple: true } },
      examples: ['audit verify', 'audit verify --log web.log --log web.1.log'],
      async run(input, { database, provisioning }) {
        const logs = input.list('log');
        const heads = await readHeads(logs);
        const report = await createAuditRepository(database, provisioning.clock).verify(heads);
        const { entries, chains, unchained, beyondHeads, problems } = report;
        if (problems.length > 0) throw new ProvisioningError(`The audit was changed:\n  ${problems.join('\n  ')}`);
        return {
          kind: 'record',
          done: `${entries} entries are as they were written.`,
          record: { entries, chains, unchained, headsCompared: heads.length, beyondHeads },
          ...(heads.length === 0 && {
            note: `${logs.length > 0 ? 'The logs have no audit.head, so it' : 'Without --log it'} is unknown whether entries were taken from the end, or a chain was put in.`,
          }),
        };
      },
    },
  ],
};
