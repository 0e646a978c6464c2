/** Builds the messages of operations from constants of the profile, identifying numbers and the values of the operation. Pure. */
import { findCurrency } from '../../../domain/money/currency.js';
import type { IsoExchange, IsoTrace } from '../../../store/iso8583-exchange.model.js';
import type { IsoMessage } from '../codec/message.js';
import { repeatMti } from '../line/mti.js';
import { localTimes, transmissionTime } from '../line/times.js';
import type { MessageKind, Profile } from '../profile/profile.js';
import type { Outgoing } from './read-request.js';
import type { IsoDialect } from './settings.js';
import { fieldsOf } from './tagged-fields.js';

const CATEGORY = 18;
const AMOUNT_DIGITS = 12;
const TERMINAL_LENGTH = 8;
const MERCHANT_LENGTH = 15;
const INSTITUTION_DIGITS = 11;

const amountText = (minor: number) => String(minor).padStart(AMOUNT_DIGITS, '0');
const currencyNumber = (code: string) => findCurrency(code)?.numeric ?? '';

/** Removes the fields that the profile does not have. */
const existing = (fields: Readonly<Record<number, string>>, profile: Profile) =>
  Object.fromEntries(Object.entries(fields).filter(([number]) => profile.fields.has(Number(number))));

/** Builds the fields that every message of an operation has. */
function frame(
  kind: MessageKind,
  { profile, identity }: IsoDialect,
  trace: IsoTrace,
  { terminal, merchant, category = identity.merchantCategory }: Pick<Outgoing, 'terminal' | 'merchant' | 'category'>,
) {
  const { mti, fields } = profile.messages[kind];
  const { acquirerId, timeZone } = identity;
  return {
    mti,
    fields: {
      7: transmissionTime(trace.at),
      11: trace.stan,
      ...existing(localTimes(trace.at, timeZone, profile.version), profile),
      ...(category !== undefined && profile.fields.has(CATEGORY) && { [CATEGORY]: category }),
      32: acquirerId,
      41: terminal.padEnd(TERMINAL_LENGTH, ' '),
      ...(merchant !== '' && { 42: merchant.padEnd(MERCHANT_LENGTH, ' ') }),
      ...fields,
    } as Record<number, string>,
  };
}

type Named = Pick<IsoExchange, 'mti' | 'trace' | 'retrievalReference' | 'authorization'>;

/** Builds field 90 (1987) or 56 (1993): type, STAN and time of the original. */
function originalData({ mti, trace }: Named, { profile, identity }: IsoDialect): Record<number, string> {
  const { acquirerId, timeZone } = identity;
  if (profile.version === '1993') {
    const at = localTimes(trace.at, timeZone, '1993')[12];
    return { 56: `${mti}${trace.stan}${at}${String(acquirerId.length).padStart(2, '0')}${acquirerId}` };
  }
  const institution = acquirerId.padStart(INSTITUTION_DIGITS, '0');
  return { 90: `${mti}${trace.stan}${transmissionTime(trace.at)}${institution}${'0'.repeat(INSTITUTION_DIGITS)}` };
}

type Original = Named & Pick<IsoExchange, 'amountMinor' | 'outcome'>;

/** Returns the profile's fields for a message whose amount differs from the approved one. */
function otherAmount(
  kind: MessageKind,
  { profile }: IsoDialect,
  amountMinor: number,
  original: Original | undefined,
): Readonly<Record<number, string>> {
  if (!original) return {};
  const { approvedMinor = original.amountMinor } = (original.outcome ?? {}) as { approvedMinor?: number };
  return amountMinor === approvedMinor ? {} : (profile.messages[kind].otherAmount ?? {});
}

/** Gives back the spaces at the end that a value of the acquirer was stored without: a field of fixed length needs them. */
function filled(number: 37 | 38, value: string, { fields }: Profile): string {
  const field = fields.get(number);
  return field?.lengthDigits === 0 ? value.padEnd(field.length, ' ') : value;
}

/** Builds the fields by which a later message names its original. */
const aboutOriginal = (original: Named, dialect: IsoDialect): Record<number, string> => ({
  37: filled(37, original.retrievalReference, dialect.profile),
  ...(original.authorization !== undefined && { 38: filled(38, original.authorization, dialect.profile) }),
  ...originalData(original, dialect),
});

function cardFields({ card }: Outgoing): Record<number, string> {
  if (!card) return {};
  const year = String(card.expYear % 100).padStart(2, '0');
  return { 2: card.number, 14: year + String(card.expMonth).padStart(2, '0') };
}

/** @param original the original of a capture, cancellation or refund */
export function buildOperation(
  outgoing: Outgoing,
  trace: IsoTrace,
  retrievalReference: string,
  dialect: IsoDialect,
  original?: Original,
): IsoMessage {
  const { kind, amountMinor, currency, extras } = outgoing;
  const { mti, fields } = frame(kind, dialect, trace, outgoing);
  return {
    mti,
    fields: {
      ...fields,
      ...otherAmount(kind, dialect, amountMinor, original),
      ...cardFields(outgoing),
      // An account verification is about the card and moves no money.
      4: amountText(kind === 'verification' ? 0 : amountMinor),
      37: retrievalReference,
      49: currencyNumber(currency),
      ...fieldsOf(extras, dialect.profile),
      ...(original && aboutOriginal(original, dialect)),
    },
  };
}

type Repeated = Pick<
  IsoExchange,
  'kind' | 'amountMinor' | 'currency' | 'terminal' | 'merchant' | 'category' | 'trace' | 'retrievalReference'
>;

/** Builds the repeat of an advice, under the same numbers. */
export function buildRepeat(exchange: Repeated, dialect: IsoDialect, original: Original): IsoMessage {
  const kind = exchange.kind as 'capture' | 'cancel';
  const { amountMinor, currency, terminal, merchant, category, trace, retrievalReference } = exchange;
  const outgoing: Outgoing = { key: '', kind, amountMinor, currency, terminal, merchant, category, extras: {} };
  const { mti, fields } = buildOperation(outgoing, trace, retrievalReference, dialect, original);
  return { mti: repeatMti(mti), fields };
}

type Reversed = Named &
  Pick<IsoExchange, 'amountMinor' | 'currency' | 'terminal' | 'merchant' | 'category' | 'processingCode' | 'reversal'>;

/** Builds the reversal of an exchange without an answer, or whose approval is not wanted any more. */
export function buildReversal(exchange: Reversed, dialect: IsoDialect, isRepeat: boolean): IsoMessage {
  const { reversal, currency, amountMinor, processingCode } = exchange;
  const trace = reversal ?? exchange.trace;
  const { mti, fields } = frame('reversal', dialect, trace, exchange);
  return {
    mti: isRepeat ? repeatMti(mti) : mti,
    fields: {
      ...fields,
      3: processingCode,
      4: amountText(reversal?.amountMinor ?? amountMinor),
      49: currencyNumber(currency),
      ...aboutOriginal(exchange, dialect),
    },
  };
}

export const processingCodeOf = (kind: MessageKind, { messages }: Profile): string =>
  messages[kind].fields[3] ?? '000000';
