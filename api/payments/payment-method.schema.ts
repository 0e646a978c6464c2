/** `paymentMethod` of a payment request: one source and the member that goes with it (docs/api.md#payment-sources). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { body, fieldError, Joi, metadata, named, nullable, text, withErrorCode } from '../../shared/contract/joi.js';
import type { CardSource, PaymentSource } from '../../shared/domain/payment/payment.js';
import { cardBrands } from '../../shared/domain/payment-method-catalog.js';
import { type WalletTokenBody, walletATokenSchema, walletBTokenSchema } from '../wallets/wallet-token.schema.js';
import { type CardBody, cardSchema, cvcField, expMonthField, expYearField, numberField } from './card.schema.js';

export interface TokenizedCardBody {
  readonly token: string;
  readonly cvc?: string;
}

export interface NetworkTokenBody {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cryptogram: string;
  readonly eci?: string;
}

export interface ClickToPayBody {
  readonly correlationId: string;
  readonly merchantTransactionId: string;
  readonly scheme: string;
}

/** `source` is always set after validation: when it was not sent, it follows from the member. */
export interface PaymentMethodBody {
  readonly source: PaymentSource;
  readonly id?: string;
  readonly card?: CardBody;
  readonly paymentInstrument?: TokenizedCardBody;
  readonly networkToken?: NetworkTokenBody;
  readonly walletAPayToken?: WalletTokenBody;
  readonly walletBPayToken?: WalletTokenBody;
  readonly clickToPayToken?: ClickToPayBody;
  readonly fields?: Record<string, string>;
}

const members = {
  card: 'card',
  token: 'paymentInstrument',
  'network-token': 'networkToken',
  'wallet-a-pay-token': 'walletAPayToken',
  'wallet-b-pay-token': 'walletBPayToken',
  'click-to-pay-token': 'clickToPayToken',
} as const satisfies Record<CardSource, keyof PaymentMethodBody>;

const cardSources = Object.keys(members) as CardSource[];
const sources: readonly PaymentSource[] = [...cardSources, 'bank-transfer'];

const invalidToken = <S extends Parameters<typeof withErrorCode>[1]>(schema: S) =>
  withErrorCode('invalid-card-payment-method-token', schema) as S;

const tokenizedCardSchema = named(
  'TokenizedCard',
  body({ token: invalidToken(text(limits.idLengthMax)).required(), cvc: nullable(cvcField()) }),
);

const networkTokenSchema = named(
  'NetworkToken',
  body({
    number: numberField().required(),
    expMonth: expMonthField().required(),
    expYear: expYearField().required(),
    cryptogram: Joi.string()
      .max(limits.cryptogramLengthMax)
      .pattern(/^[A-Za-z0-9+/_-]+={0,2}$/, 'base64')
      .required(),
    eci: nullable(Joi.string().pattern(/^\d{2}$/, 'two digits')),
  }),
);

const clickToPaySchema = named(
  'ClickToPayToken',
  body({
    correlationId: text(limits.referenceLengthMax).required(),
    merchantTransactionId: text(limits.referenceLengthMax).required(),
    scheme: Joi.string()
      .valid(...cardBrands)
      .required(),
  }),
);

type Sent = Omit<PaymentMethodBody, 'source'> & { readonly source?: PaymentSource };

const code = 'request-validation-errors';

/** Checks a bank transfer: it has no member, only the id of the method. */
function checkTransfer(sent: Sent, given: readonly CardSource[], helpers: CustomHelpers): unknown {
  if (given[0]) return fieldError(helpers, members[given[0]], `is only allowed with source ${given[0]}`, code);
  if (sent.id !== undefined) return sent;
  return fieldError(helpers, 'id', 'is required when source is bank-transfer: the configured payment method', code);
}

/** Checks that there is one source with its member and no other member. */
function checkSource(sent: Sent, helpers: CustomHelpers): unknown {
  const given = cardSources.filter((source) => sent[members[source]] !== undefined);
  if (sent.source === 'bank-transfer') return checkTransfer(sent, given, helpers);
  const source = sent.source ?? (given.length === 1 ? given[0] : undefined) ?? 'card';
  if (sent[members[source]] === undefined) {
    return fieldError(helpers, members[source], `is required when source is ${source}`, code);
  }
  const other = given.find((one) => one !== source);
  if (other) return fieldError(helpers, members[other], `is only allowed with source ${other}`, code);
  if (source === 'network-token' && sent.id === undefined) {
    return fieldError(helpers, 'id', 'is required when source is network-token: the card brand', code);
  }
  return { ...sent, source };
}

export const paymentMethodSchema = named(
  'PaymentMethodRequest',
  body<PaymentMethodBody>({
    source: nullable(Joi.string().valid(...sources)),
    id: nullable(text(limits.referenceLengthMax)),
    card: nullable(cardSchema),
    paymentInstrument: nullable(tokenizedCardSchema),
    networkToken: nullable(networkTokenSchema),
    walletAPayToken: nullable(walletATokenSchema),
    walletBPayToken: nullable(walletBTokenSchema),
    clickToPayToken: nullable(clickToPaySchema),
    fields: nullable(metadata()),
  }).custom(checkSource, 'source'),
);

/** For verifications: a card, a token or a network token. */
export const verifiedMethodSchema = named(
  'VerifiedPaymentMethod',
  paymentMethodSchema.custom((method: PaymentMethodBody, helpers) =>
    ['click-to-pay-token', 'wallet-a-pay-token', 'wallet-b-pay-token', 'bank-transfer'].includes(method.source)
      ? fieldError(helpers, 'source', 'cannot be verified: send a card, a token or a network token')
      : method,
  ),
);
