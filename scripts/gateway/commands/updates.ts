import type { ProcessorUpdateRow } from '../../../shared/store/processor-update.model.js';
import { createProcessorUpdateRepository } from '../../../shared/store/processor-update.repository.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import type { CommandGroup } from '../command.js';
import { pageOptions, readPage } from '../list-page.js';

export const updates: CommandGroup = {
  name: 'updates',
  summary: 'What processors sent by themselves and the gateway could not apply.',
  commands: [
    {
      path: ['updates', 'list'],
      reads: true,
      summary: 'Shows the updates of processors that need a person, newest first, and why.',
      options: { waiting: { about: 'Those that still wait to be applied instead.' }, ...pageOptions },
      examples: ['updates list', 'updates list --waiting'],
      async run(input, { database }) {
        const status = input.flag('waiting') ? 'waiting' : 'flagged';
        const repository = createProcessorUpdateRepository(database);
        const { found, more } = await readPage<ProcessorUpdateRow>(
          input,
          ({ _id }) => _id,
          (limit, after) => repository.list(status, limit, after),
        );
        return {
          kind: 'rows',
          more,
          rows: found.map(({ _id, processor, merchantId, update, paymentId, receivedAt, tries, reason }) => ({
            updateId: _id,
            processor,
            merchantId,
            eventId: update.eventId,
            paymentId,
            receivedAt,
            tries,
            reason,
          })),
          empty: status === 'flagged' ? 'No update needs a person.' : 'No update waits.',
        };
      },
    },
    {
      path: ['updates', 'retry'],
      summary: 'Applies an update again that was flagged, after what kept it from being applied was removed.',
      details: 'Applied twice it changes nothing: what it says is compared with the payment each time.',
      words: [{ name: 'update', about: 'Id of the update: upd_…' }],
      examples: ['updates retry upd_…'],
      async run(input, { database, provisioning, record }) {
        const id = input.word('update');
        const updatesOf = createProcessorUpdateRepository(database);
        if (!(await updatesOf.retry(id, provisioning.clock.now()))) {
          throw new ProvisioningError(
            `No flagged update has the id ${id}. \`updates list\` shows those that there are.`,
          );
        }
        await record({ action: 'processor-update.retried', object: id });
        return {
          kind: 'record',
          done: `Update ${id} will be applied again.`,
          record: { updateId: id, status: 'waiting' },
          note: 'A processor worker takes it within two seconds; if it is flagged again, `updates list` says why.',
        };
      },
    },
  ],
};
