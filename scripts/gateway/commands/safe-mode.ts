import { beginSafeMode, readSafeMode } from '../../../shared/store/restore-watch.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import type { CommandGroup } from '../command.js';
import { readPastMoment } from '../read-values.js';

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
        if (!row) {
          return {
            kind: 'record',
            done: 'Safe mode is off: payments are taken.',
            record: { safeMode: 'off' },
            note: 'A restore is noticed by a process of the gateway: until one has run on a restored database, safe mode is off there.',
          };
        }
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
        'The gateway does it by itself when it notices a restore. Where it is on already, an earlier --since counts, and a later one changes nothing. Say it before you start the gateway on a restored database when the whole of MongoDB and Redis were restored together, which it cannot notice.',
      options: {
        since: {
          value: '<time>',
          about: 'When the backup was begun: a date (UTC where it has no offset), or how long ago (24h).',
          required: true,
        },
      },
      examples: ['safe-mode begin --since 2027-01-31T12:00:00Z'],
      async run(input, { database, provisioning, record }) {
        const now = provisioning.clock.now();
        const from = readPastMoment(input.text('since'), 'since', now);
        await beginSafeMode(database, { reason: 'an operator said so', since: now, from });
        // If safe mode was on already, an earlier start is kept.
        const begun = await readSafeMode(database);
        if (!begun?.from) throw new ProvisioningError('Safe mode was ended in this moment: run it again.');
        await record({ action: 'safe-mode.begun', object: begun.from.toISOString() });
        return {
          kind: 'record',
          done: 'Safe mode is on.',
          record: { safeMode: 'on', reason: begun.reason, since: begun.since, from: begun.from },
          ...(begun.from < from && {
            note: 'It was on already, from an earlier moment. That stays: books are compared from then on.',
          }),
        };
      },
    },
  ],
};
