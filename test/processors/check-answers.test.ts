/**
 * Checks of every adapter's answers. Partial approvals: only an authorization can be approved in part, no matter what its processor answers.
 * Messages: no card number passes.
 */
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

test.each(['authorize', 'verify'] as const)(
  'an inquiry about the operation %s may be answered with a partial approval',
  async (operation) => {
    expect(await asked(operation, 700)).toEqual(found(700));
    expect(await asked(operation, 1001)).toMatchObject({ kind: 'no-answer' });
  },
);

test.each(['capture', 'cancel', 'refund', 'issue-code'] as const)(
  'a partial approval of a %s counts as no answer',
  async (operation) => {
    expect(await asked(operation, 700)).toEqual({
      kind: 'no-answer',
      internal: 'the answer approves an amount that was not asked for',
    });
  },
);

const NUMBER = '4242424242424242';
const said = `Card ${NUMBER}exp, 4242 4242-4242 4242, PAN=${NUMBER}D3412: see 123456789012`;
const masked = 'Card [digits]exp, [digits], PAN=[digits]D3412: see 123456789012';

test('a card number in a message of the processor is masked, in answers and in what an inquiry finds', async () => {
  const declined = (resultMessage: string) =>
    ({ kind: 'declined', error: 'declined-by-acquirer', resultCode: '14', resultMessage, ticket: NUMBER }) as const;
  const rejected = (resultMessage: string) =>
    ({ kind: 'found', transfers: [], rejected: { resultCode: '14', resultMessage } }) as const;
  const processor = checkAnswers(
    {
      code: 'fake',
      authorize: async () => declined(said),
      inquire: async () => ({ kind: 'found', outcome: declined(said) }),
      findTransfers: async () => rejected(said),
    } as unknown as Processor,
    keepingLog(),
  );
  const request = inquireRequest('txn_1', { operation: 'authorize', amountMinor: 1000 });
  expect(await processor.authorize(request as never)).toEqual(declined(masked));
  expect(await processor.inquire(request)).toEqual({ kind: 'found', outcome: declined(masked) });
  expect(await processor.findTransfers?.(request as never)).toEqual(rejected(masked));
});
