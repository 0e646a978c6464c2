/** Schemas of the test processor's answers; any other shape is an unknown outcome. */
import type { CustomHelpers } from 'joi';
import { answerReader } from '../../answer-reader.js';
import { Joi } from '../../contract/joi.js';
import { checkResults, declineAdvices } from '../../domain/payment/network-answer.js';
import type { WireAnswer, WireCode, WireLedgerEntry, WireNotFound, WireReversalAnswer, WireTransfers } from './wire.js';

const TEXT_LENGTH_MAX = 200;

const key = Joi.string().max(128).required();
const amountMinor = Joi.number().integer().positive().required();
const currency = Joi.string().length(3).required();
const text = Joi.string().max(TEXT_LENGTH_MAX);

const checkResult = Joi.valid(...checkResults);

/** Checks that only a decline has an error. */
const checkError = (answer: WireAnswer, helpers: CustomHelpers): unknown =>
  answer.error === undefined || answer.result === 'declined' ? answer : helpers.error('any.invalid');

const answerSchema = Joi.object<WireAnswer>({
  key,
  amountMinor,
  currency,
  result: Joi.valid('approved', 'declined', 'pending', 'failed', 'reversed').required(),
  resultCode: Joi.string().max(4).required(),
  resultMessage: text.required(),
  error: Joi.valid('declined-by-acquirer', 'authentication-required', 'funds-verification-failed'),
  declineCode: text,
  authorization: text,
  ticket: text,
  processorReference: text,
  retrievalReference: text,
  networkTransactionId: text,
  checks: Joi.object({
    avs: Joi.object({ code: text, address: checkResult, postalCode: checkResult }),
    cvc: Joi.object({ code: text, result: checkResult.required() }),
  }),
  networkDeclineCode: text,
  advice: Joi.valid(...declineAdvices),
  approvedMinor: Joi.number().integer().positive(),
  updatedExpiry: Joi.object({
    expMonth: Joi.number().integer().required(),
    expYear: Joi.number().integer().required(),
  }),
  holdMs: Joi.number().integer().positive(),
})
  .custom(checkError)
  .required();

const codeSchema = Joi.object<WireCode>({
  key,
  amountMinor,
  currency,
  result: Joi.valid('issued').required(),
  scheme: Joi.string()
    .pattern(/^[\w.]{1,32}$/)
    .required(),
  account: Joi.string()
    .pattern(/^\w{1,25}$/)
    .required(),
  reference: Joi.string()
    .pattern(/^\w{8,25}$/)
    .required(),
  ticket: text,
}).required();

const transfersSchema = Joi.object<WireTransfers>({
  key,
  result: Joi.valid('found').required(),
  transfers: Joi.array()
    .items(
      Joi.object({
        id: text.required(),
        paidAt: Joi.string().isoDate().required(),
        amountMinor,
        currency,
        returned: Joi.boolean().required(),
      }),
    )
    .max(100)
    .required(),
  rejected: Joi.object({
    resultCode: Joi.string().max(4).required(),
    resultMessage: text.required(),
    declineCode: text,
  }),
}).required();

const notFoundSchema = Joi.object<WireNotFound>({ key, result: Joi.valid('not-found').required() }).required();

const reversalSchema = Joi.object<WireReversalAnswer>({
  key,
  original: key,
  amountMinor,
  currency,
  result: Joi.valid('reversed', 'not-found', 'refused').required(),
  ticket: text,
}).required();

const ledgerSchema = Joi.array<WireLedgerEntry[]>()
  .items(
    Joi.object({
      at: Joi.string().isoDate().required(),
      kind: text.required(),
      key,
      original: Joi.string().max(128).allow(null).required(),
      amountMinor,
      currency,
      result: text.required(),
      referenceId: text,
      merchantId: Joi.number().integer(),
    }),
  )
  .required();

export const readAnswer = answerReader<WireAnswer>(answerSchema);
export const readCode = answerReader<WireCode>(codeSchema);
export const readTransfers = answerReader<WireTransfers>(transfersSchema);
export const readNotFound = answerReader<WireNotFound>(notFoundSchema);
export const readReversalAnswer = answerReader<WireReversalAnswer>(reversalSchema);
export const readLedger = answerReader<WireLedgerEntry[]>(ledgerSchema);
