import { beginSafeMode, readSafeMode } from '../../../shared/store/restore-watch.js';
import { type CommandGroup, UsageError } from '../command.js';

export const safeMode: CommandGroup = {
  name: 'safe-mode',
  summary: 'Whether the gateway waits after a restore.',
  commands: [
    {
      path: ['safe-mode', 'show'],
      reads: true,
      summary: 'Says whether nothing is sent to processors because the database was restored, and since when.',
      examples: ['safe-mode show'],
      async run(_input, { database }) {
        const row = await readSafeMode(database);
        if (!row) return { kind: 'record', done: 'Safe mode is off: payments are taken.', record: { safeMode: 'off' } };
        const { reason, since, from } = row;
        return {
          kind: 'record',
          done: 'Safe mode is on: new payments and operations are refused, nothing is sent to processors.',
          record: { safeMode: 'on', reason, since, from },
          note: 'Run `reconcile --import`: it compares with the processors and ends safe mode.',
        };
      },
    },
    {
      path: ['safe-mode', 'begin'],
      summary:
        'Stops new payments and operations until `reconcile --import` has compared the database with the processors.',
      details:
        'The gateway does it by itself when it notices a restore. Say it before you start the gateway on a restored database when the whole of MongoDB and Redis were restored together, which it cannot notice.',
      options: { since: { value: '<date>', about: 'When the backup was made.', required: true } },
      examples: ['safe-mode begin --since 2027-01-31T12:00:00Z'],
      async run(input, { database, provisioning, record }) {
        const from = new Date(input.text('since'));
        const now = provisioning.clock.now();
        if (Number.isNaN(from.getTime()) || from > now) {
          throw new UsageError('--since takes a date of the past: 2027-01-31T12:00:00Z.', ['safe-mode', 'begin']);
        }
        await beginSafeMode(database, { reason: 'an operator said so', since: now, from });
        await record({ action: 'safe-mode.begun', object: from.toISOString() });
        return { kind: 'record', done: 'Safe mode is on.', record: { safeMode: 'on', from } };
      },
    },
  ],
};
