/** The card that a payer typed, by the same rules and codes as the card of an API payment. */

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

/** How the session wants the cvc and the cardholder. A checkout always asks for the cvc of a new card. */
export function fieldModesOf({ type, settings }: Session): Readonly<Record<'cvc' | 'cardholder', FieldMode>> {
  const { fields } = settings.tokenization;
  return {
    cvc: type === 'checkout' ? 'required' : (fields?.cvc ?? 'required'),
    cardholder: fields?.cardholder ?? 'optional',
  };
}

/** What the payer typed, with what the integrator knows of the holder; a name that was typed takes the place of a known one. */
function cardholderOf({ settings }: Session, mode: FieldMode, typed: CardBody['cardholder']): CardBody['cardholder'] {
  const known = settings.tokenization.cardholder;
  if (mode === 'hidden') return known;
  if (!typed) {
    const { firstName: _first, lastName: _last, ...rest } = known ?? {};
    // The payer emptied the field: where a name is required, that is said, whatever else is known.
    return mode === 'required' || Object.keys(rest).length === 0 ? undefined : rest;
  }
  const { lastName: _known, ...rest } = known ?? {};
  return { ...rest, ...typed };
}

/** A debit card where only credit cards are taken, or the other way round, typed or of a wallet: its brand may well be accepted. */
export class CardTypeRefusedError extends GatewayError {
  constructor() {
    super('invalid-card-payment-method', {
      message: 'This session does not accept cards of this type.',
      params: { number: ['is of a card type that is not accepted'] },
    });
  }
}

/**
 * @returns the card as it is to be used: without what the session hides.
 * @throws {GatewayError} `400` naming the fields, also where the name holds the number: `number`, `expMonth`, `expYear`, `cvc`, `cardholder.…`;
 * `invalid-card-payment-method` when the session does not take cards of this type.
 */
export async function checkHostedCard(deps: ApiDeps, session: Session, sent: HostedCard): Promise<CardBody> {
  const modes = fieldModesOf(session);
  const given = {
    ...sent,
    cvc: modes.cvc === 'hidden' ? undefined : sent.cvc,
    cardholder: cardholderOf(session, modes.cardholder, sent.cardholder),
  };
  const schema = cardSchema.keys({
    ...(modes.cvc === 'required' && { cvc: cardSchema.extract('cvc').required() }),
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
