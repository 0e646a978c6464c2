import {
  createFindingRepository,
  type FindingRow,
  type FindingStatus,
} from '../../../shared/store/book-finding.repository.js';
import { readSafeMode } from '../../../shared/store/restore-watch.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import { mayRepeat } from '../../provisioning/reconcile.js';
import type { CommandGroup } from '../command.js';
import { pageOptions, readPage } from '../list-page.js';
import { readOneOf } from '../read-values.js';
import { findingRow } from './reconcile.js';

const statuses: readonly FindingStatus[] = ['open', 'imported', 'settled'];

export const findings: CommandGroup = {
  name: 'findings',
  summary: 'What differs between the books of processors and the payments.',
  commands: [
    {
      path: ['findings', 'list'],
      reads: true,
      summary: 'Shows the differences that were found, oldest first, and what to do about each.',
      options: { status: { value: '<status>', about: statuses.join(', '), default: 'open' }, ...pageOptions },
      examples: ['findings list', 'findings list --status imported --json'],
      async run(input, { database }) {
        const status = readOneOf(input.text('status'), 'status', statuses, ['findings', 'list']);
        const repository = createFindingRepository(database);
        const { found, more } = await readPage<FindingRow>(
          input,
          ({ _id }) => _id,
          (limit, after) => repository.list(status, limit, after),
        );
        return { kind: 'rows', rows: found.map(findingRow), empty: `No difference is ${status}.`, more };
      },
    },
    {
      path: ['findings', 'settle'],
      summary: 'Says that a person did what there was to do about a difference: it is not shown or counted any more.',
      details:
        'It changes no payment. The note is kept with the difference; who settled it, and when, is in the audit. In safe mode it is refused for what `reconcile --import` has not tried to take over.',
      words: [{ name: 'finding', about: 'Its id, as `findings list` shows it.' }],
      options: { note: { value: '<text>', about: 'What was done.', required: true } },
      examples: ['findings settle sandbox:missing:txn_… --note "refunded at the processor"'],
      async run(input, { database, record }) {
        const id = input.word('finding');
        const note = input.text('note');
        const repository = createFindingRepository(database);
        const row = await repository.find(id);
        // The import passes over what is settled, so that nothing would keep the same request from being charged again.
        if (row && row.note === undefined && mayRepeat(row) && (await readSafeMode(database))) {
          throw new ProvisioningError(
            `${id} was not imported yet, and the database was restored: \`reconcile --import\` comes first. Settle what stays open after it.`,
          );
        }
        if (!(await repository.mark(id, 'settled', note))) {
          throw new ProvisioningError(
            `There is no difference ${id} that is still to be settled. \`findings list\` shows those that there are.`,
          );
        }
        await record({ action: 'books.finding-settled', object: id });
        return { kind: 'record', done: `${id} is settled.`, record: { findingId: id, note } };
      },
    },
  ],
};
