/** The card that a payer typed, checked by the same rules and codes as the card of an API payment. */

import { GatewayError } from '../../shared/contract/gateway-error.js';
import { Joi, validationOptions } from '../../shared/contract/joi.js';
import { takesCardType } from '../../shared/domain/session/rules.js';
import type { FieldMode, Session } from '../../shared/domain/session/session.js';
import type { ApiDeps } from '../deps.js';
import { errorCodesOf, validationError } from '../http/validation-error.js';
import { type CardBody, cardSchema } from '../payments/card.schema.js';

export interface HostedCard {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvc?: string | undefined;
  readonly cardholder?: CardBody['cardholder'] | undefined;
}

const codes = errorCodesOf(cardSchema);

/** Whether the session requires, allows or hides the cvc and the cardholder. A checkout always requires the cvc of a new card. */
export function fieldModesOf({ type, settings }: Session): Readonly<Record<'cvc' | 'cardholder', FieldMode>> {
  const { fields } = settings.tokenization;
  return {
    cvc: type === 'checkout' ? 'required' : (fields?.cvc ?? 'required'),
    cardholder: fields?.cardholder ?? 'optional',
  };
}

const wordsOf = ({ firstName, lastName }: NonNullable<CardBody['cardholder']>) =>
  `${firstName ?? ''} ${lastName ?? ''}`.trim().split(/\s+/).join(' ');

/** Combines the typed name with what the integrator knows about the cardholder; a typed name replaces the known one. */
function cardholderOf({ settings }: Session, mode: FieldMode, typed: CardBody['cardholder']): CardBody['cardholder'] {
  const known = settings.tokenization.cardholder;
  if (mode === 'hidden') return known;
  if (!typed) {
    const { firstName: _first, lastName: _last, ...rest } = known ?? {};
    // The payer emptied the field: when a name is required, the validation must report that, whatever else is known.
    return mode === 'required' || Object.keys(rest).length === 0 ? undefined : rest;
  }
  // The prefilled name is unchanged: only the integrator knows where the last name begins.
  if (known && wordsOf(known) === wordsOf(typed)) return known;
  const { lastName: _known, ...rest } = known ?? {};
  return { ...rest, ...typed };
}

/** Builds the refusal of a card whose brand the merchant, or the link, does not accept. */
export const brandRefused = () =>
  new GatewayError('invalid-card-payment-method', {
    params: { number: ['is of a card brand that is not accepted'] },
  });

/**
 * The card, typed or from a wallet, is a debit card where only credit cards are accepted, or the reverse. Its brand may well be
 * accepted.
 */
export class CardTypeRefusedError extends GatewayError {
  constructor() {
    super('invalid-card-payment-method', {
      message: 'This session does not accept cards of this type.',
      params: { number: ['is of a card type that is not accepted'] },
    });
  }
}

/**
 * Checks the card against the schema and the session.
 * @returns the card to use: without the fields that the session hides.
 * @throws {GatewayError} `400` naming the fields (`number`, `expMonth`, `expYear`, `cvc`, `cardholder.…`), also when the name contains
 * the card number; `invalid-card-payment-method` when the session does not accept cards of this type.
 */
export async function checkHostedCard(deps: ApiDeps, session: Session, sent: HostedCard): Promise<CardBody> {
  const modes = fieldModesOf(session);
  const given = {
    ...sent,
    cvc: modes.cvc === 'hidden' ? undefined : sent.cvc,
    cardholder: cardholderOf(session, modes.cardholder, sent.cardholder),
  };
  const cvc = cardSchema.extract('cvc');
  const schema = cardSchema.keys({
    // Named in every mode: without any name, `keys` makes a schema that refuses every field.
    cvc: modes.cvc === 'required' ? cvc.required() : cvc,
    ...(modes.cardholder === 'required' && { cardholder: Joi.required() }),
  });
  const { error, value } = schema.validate(given, validationOptions);
  if (error) throw validationError(error.details, codes);
  const card = value as unknown as CardBody;
  // A payer, or the browser for the payer, may put the number in the field of the name.
  await deps.refuseCardTexts({ card: card.number, cardholder: card.cardholder });
  const known = await deps.bins.find(card.number);
  if (takesCardType(session, known?.cardType)) return card;
  throw new CardTypeRefusedError();
}
