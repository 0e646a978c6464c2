/** Exchanges without an answer in a restored journal may have been answered since the backup: they are not reversed. */
import type { IsoContext } from '../../../shared/processors/iso8583/adapter/context.js';
import { inquireOperation } from '../../../shared/processors/iso8583/adapter/inquire-operation.js';
import type { IsoExchange } from '../../../shared/store/iso8583-exchange.model.js';

const sentAt = new Date('2027-01-05T12:00:00Z');

function asked(known: Partial<IsoExchange>, restored: boolean) {
  const used: string[] = [];
  const context = {
    journal: { find: async () => ({ _id: 'txn_1', state: 'sent', deadlineAt: sentAt, ...known }) },
    clock: { now: () => new Date(sentAt.getTime() + 3_600_000) },
    lines: {
      reserve: async () => {
        used.push('a line');
        return { internal: 'no connection' };
      },
    },
  } as unknown as IsoContext;
  return inquireOperation(context, 'txn_1', restored).then(({ kind }) => [kind, ...used]);
}

test.each(['purchase', 'authorization', 'verification', 'refund'] as const)(
  'a %s without an answer is reversed only if the journal is not a restored one',
  async (kind) => {
    expect(await asked({ kind }, true)).toEqual(['not-found']);
    expect(await asked({ kind }, false)).toEqual(['no-answer', 'a line']);
  },
);

test('in a restored journal a begun reversal goes on, an advice is repeated and an answer counts', async () => {
  expect(await asked({ kind: 'refund', state: 'reversing' }, true)).toEqual(['no-answer', 'a line']);
  expect((await asked({ kind: 'capture', original: 'txn_0' }, true))[0]).toBe('no-answer');
  expect(await asked({ kind: 'refund', state: 'answered', outcome: { kind: 'approved' } }, true)).toEqual(['found']);
});
