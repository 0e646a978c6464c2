/** Answers of the test processor in the words of the port. */
import type { Definitive, Pending } from '../processor.js';
import type { WireAnswer, WireResult } from './wire.js';

const ticketOf = ({ ticket }: WireAnswer) => (ticket === undefined ? {} : { ticket });

const failed = (answer: WireAnswer): Definitive => ({
  kind: 'failed',
  resultCode: answer.resultCode,
  resultMessage: answer.resultMessage,
  ...ticketOf(answer),
});

const byResult = {
  approved: (answer) => ({
    kind: 'approved',
    resultCode: answer.resultCode,
    resultMessage: answer.resultMessage,
    ...ticketOf(answer),
    ...(answer.authorization !== undefined && { authorization: answer.authorization }),
    ...(answer.holdMs !== undefined && { holdMs: answer.holdMs }),
  }),
  declined: (answer) => ({
    kind: 'declined',
    error: answer.error ?? 'declined-by-acquirer',
    resultCode: answer.resultCode,
    resultMessage: answer.resultMessage,
    ...ticketOf(answer),
    ...(answer.declineCode !== undefined && { declineCode: answer.declineCode }),
  }),
  pending: (answer) => ({ kind: 'pending', resultMessage: answer.resultMessage, ...ticketOf(answer) }),
  failed,
  // Done and taken back: nothing of it stands, which is what `failed` says.
  reversed: failed,
} as const satisfies Record<WireResult, (answer: WireAnswer) => Definitive | Pending>;

export function toOutcome(answer: WireAnswer): Definitive | Pending {
  return byResult[answer.result](answer);
}
