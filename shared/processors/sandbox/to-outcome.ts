/** Converts answers of the test processor to outcomes of the port. */
import { detailsOf } from '../../domain/payment/network-answer.js';
import type { AnswerSubject, Definitive, Pending } from '../processor.js';
import type { WireAnswer, WireOperation, WireResult } from './wire.js';

export const aboutOf = ({ key, amountMinor, currency }: WireOperation): AnswerSubject => ({
  key,
  amountMinor,
  currency,
});

const said = (answer: WireAnswer) => ({
  about: aboutOf(answer),
  resultCode: answer.resultCode,
  resultMessage: answer.resultMessage,
  ...detailsOf(answer),
});

const failed = (answer: WireAnswer): Definitive => ({ kind: 'failed', ...said(answer) });

const byResult = {
  approved: (answer) => ({
    kind: 'approved',
    ...said(answer),
    ...(answer.authorization !== undefined && { authorization: answer.authorization }),
    ...(answer.holdMs !== undefined && { holdMs: answer.holdMs }),
  }),
  declined: (answer) => ({
    kind: 'declined',
    error: answer.error ?? 'declined-by-acquirer',
    ...said(answer),
    ...(answer.declineCode !== undefined && { declineCode: answer.declineCode }),
  }),
  pending: (answer) => ({ kind: 'pending', ...said(answer) }),
  failed,
  // The operation was carried out and reversed, so it has no effect any more, as with `failed`.
  reversed: failed,
} as const satisfies Record<WireResult, (answer: WireAnswer) => Definitive | Pending>;

export function toOutcome(answer: WireAnswer): Definitive | Pending {
  return byResult[answer.result](answer);
}
