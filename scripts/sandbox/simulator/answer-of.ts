/** Builds the test processor's answer about an operation, the first time and for every inquiry. */
import { responseCodes } from '../../../shared/domain/response-codes.js';
import type { DeclineAdvice } from '../../../shared/processors/processor.js';
import type { WireAnswer } from '../../../shared/processors/sandbox/wire.js';
import type { Operation } from './books.js';

const AUTHORIZATION_DIGITS = 6;
const RETRIEVAL_DIGITS = 12;
/** The letters in front keep searches for card numbers from finding one. */
const NETWORK_PREFIX = 'NTI';

/** Advice of issuers, by `declineCode`: response code 65 is a soft decline too, but no later try succeeds. */
const advices: Readonly<Record<string, DeclineAdvice>> = {
  lost_card: 'do-not-retry',
  stolen_card: 'do-not-retry',
  insufficient_funds: 'retry-later',
  expired_card: 'update-credentials',
  velocity_exceeded: 'retry-later',
  processing_error: 'retry-later',
};

const checksOf = ({ checked }: Operation): Pick<WireAnswer, 'checks'> => {
  if (!checked) return {};
  const { cvc, avs } = checked;
  const fits = avs === 'Y' ? 'match' : 'no-match';
  return {
    checks: {
      ...(avs && { avs: { code: avs, address: fits, postalCode: fits } }),
      ...(cvc && { cvc: { code: cvc, result: cvc === 'M' ? 'match' : 'no-match' } }),
    },
  };
};

/** Returns the network's data. Only authorizations have some: captures and refunds concern the processor alone. */
function networkOf(operation: Operation): Partial<WireAnswer> {
  const { line, ticket, outcome, behaviour, requestedMinor } = operation;
  if (line.original !== null || line.kind === 'code' || line.kind === 'transfer') return {};
  const { result, resultCode, declineCode = '' } = outcome;
  const approved = result === 'approved';
  const advice = advices[declineCode];
  return {
    ...checksOf(operation),
    ...(approved && {
      authorization: ticket.slice(-AUTHORIZATION_DIGITS),
      networkTransactionId: `${NETWORK_PREFIX}${ticket.padStart(RETRIEVAL_DIGITS, '0')}`,
      ...(behaviour.updatedExpiry && { updatedExpiry: behaviour.updatedExpiry }),
      ...(requestedMinor !== undefined && { approvedMinor: line.amountMinor }),
    }),
    ...(result === 'declined' && { networkDeclineCode: resultCode, ...(advice && { advice }) }),
  };
}

export function answerOf(operation: Operation): WireAnswer {
  const { line, outcome, ticket, holdMs, reversed, requestedMinor } = operation;
  const base = {
    key: line.key,
    amountMinor: requestedMinor ?? line.amountMinor,
    currency: line.currency,
    ticket,
    processorReference: `sbx_${ticket}`,
    retrievalReference: ticket.padStart(RETRIEVAL_DIGITS, '0'),
  };
  // An inquiry after a reversal must not say that the money was taken.
  if (reversed) return { ...base, result: 'reversed', resultCode: responseCodes.approved, resultMessage: 'Reversed' };
  const held = outcome.result === 'approved' && holdMs !== undefined ? { holdMs } : {};
  return { ...base, ...outcome, ...networkOf(operation), ...held };
}
