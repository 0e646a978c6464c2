/** Parts of what was asked for: only an authorization is approved in part, whenever its processor says so. */
import { checkAnswers } from '../../shared/processors/check-answers.js';
import type { InquiredOperation, Processor } from '../../shared/processors/processor.js';
import { keepingLog } from './keeping-log.js';
import { inquireRequest } from './port-requests.js';

const found = (approvedMinor: number) => ({
  kind: 'found' as const,
  outcome: { kind: 'approved' as const, resultCode: '10', resultMessage: 'In part', approvedMinor },
});
const asked = (operation: InquiredOperation, approvedMinor: number) => {
  const adapter = { code: 'fake', inquire: async () => found(approvedMinor) } as unknown as Processor;
  return checkAnswers(adapter, keepingLog()).inquire(inquireRequest('txn_1', { operation, amountMinor: 1000 }));
};

test.each(['authorize', 'verify'] as const)('an inquiry about %s may be answered with a part', async (operation) => {
  expect(await asked(operation, 700)).toEqual(found(700));
  expect(await asked(operation, 1001)).toMatchObject({ kind: 'no-answer' });
});

test.each(['capture', 'cancel', 'refund', 'issue-code'] as const)('a part of a %s is no answer', async (operation) => {
  expect(await asked(operation, 700)).toEqual({
    kind: 'no-answer',
    internal: 'the answer approves an amount that was not asked for',
  });
});
