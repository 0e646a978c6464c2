import { defined } from '../shared/domain/defined.js';
import type { PaymentInstrument } from '../shared/domain/instrument/payment-instrument.js';
import type { Payment } from '../shared/domain/payment/payment.js';
import { isAuthenticated } from '../shared/domain/threeds/authentication.js';
import { walletOf } from '../shared/domain/wallet/integration.js';
import type { ClickToPayToken, ProcessorCard, ProcessorPayer, ThreeDsProof } from '../shared/processors/processor.js';
import type { PaymentInstrumentRepository } from '../shared/store/payment-instrument.repository.js';
import { type CardToSave, holderNameOf } from '../shared/vault/build-instrument.js';
import type { SealBinding, Vault } from '../shared/vault/vault.js';
import { VaultError } from '../shared/vault/vault-error.js';

/** The content of the second envelope of a payment (`cvc`), which is destroyed with the outcome. */
interface SealedSecret {
  readonly cvc?: string;
  readonly cryptogram?: string;
  readonly eci?: string;
}

/** The saved card was deleted, or has expired, after the payment was accepted: nothing is sent. */
export class TokenGoneError extends Error {
  constructor(readonly paymentId: string) {
    super(`the saved card of ${paymentId} is gone`);
    this.name = 'TokenGoneError';
  }
}

/** Whether the key exists but the envelope does not open: no retry helps, and an operator has to know (docs/security.md#keys-in-use). */
export const isTampered = (error: unknown): error is VaultError =>
  error instanceof VaultError && error.code === 'envelope-invalid';

export const TAMPERED_ALERT =
  'the sealed card does not open: it was changed in the database, or put in another one’s place';

export interface CardSources {
  readonly vault: Pick<Vault, 'open'>;
  readonly instruments: Pick<PaymentInstrumentRepository, 'find'>;
}

/** Returns the record, field and owner to which an envelope of a payment is bound. */
export const bindingOf = (payment: Payment, field: string): SealBinding => {
  const { _id: recordId, clientId, merchantId, customerId } = payment;
  return { recordId, field, clientId, owner: { merchantId, customerId } };
};

async function openJson<T>(vault: Pick<Vault, 'open'>, envelope: Payment['card'], binding: SealBinding): Promise<T> {
  if (!envelope) throw new VaultError('key-unknown', `The ${binding.field} of ${binding.recordId} was destroyed`);
  return JSON.parse((await vault.open(envelope, binding)).toString('utf8')) as T;
}

interface OpenedEnvelope<T> {
  readonly opened: T;
  /** The saved card that is charged. */
  readonly saved?: PaymentInstrument;
}

async function openEnvelope<T>({ vault, instruments }: CardSources, payment: Payment): Promise<OpenedEnvelope<T>> {
  const { _id, clientId, instrument } = payment;
  if (instrument === undefined) return { opened: await openJson(vault, payment.card, bindingOf(payment, 'card')) };
  const saved = await instruments.find(clientId, instrument);
  if (!saved?.card) throw new TokenGoneError(_id);
  const { merchantId, customerId } = saved;
  const binding = { recordId: instrument, field: 'card', clientId, owner: { merchantId, customerId } };
  const { expMonth, expYear } = saved;
  // The issuer may have changed the expiry since the card was sealed.
  return { opened: { ...(await openJson<T>(vault, saved.card, binding)), expMonth, expYear }, saved };
}

/** Opens the card envelope: the payment's own, or that of the saved card that the payment charges. */
export const openSealedCard = async <T = CardToSave>(sources: CardSources, payment: Payment): Promise<T> =>
  (await openEnvelope<T>(sources, payment)).opened;

/** Everything that the envelope of a payment's card may hold. */
type SealedCard = CardToSave & {
  readonly clickToPay?: ClickToPayToken;
  readonly cardholder?: SealedCardholder;
  readonly metadata?: Readonly<Record<string, string>>;
};

/** The cardholder as the merchant sent it, read back from JSON. */
export interface SealedCardholder {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  /** ISO 8601. */
  readonly birthdate?: string;
  readonly identification?: ProcessorPayer['document'];
  readonly billingAddress?: ProcessorPayer['address'];
  readonly phoneNumber?: string;
}

/** What an authorization needs: the card, or the click-to-pay check-out instead, and what is known about the cardholder. */
export type OpenedCredential = ({ readonly card: ProcessorCard } | { readonly clickToPay: ClickToPayToken }) & {
  readonly cardholder?: SealedCardholder;
  readonly saved?: PaymentInstrument;
};

function toProcessorCard(
  payment: Payment,
  opened: SealedCard,
  secret: SealedSecret,
  saved: PaymentInstrument | undefined,
): ProcessorCard {
  const { number, expMonth, expYear, metadata = {} } = opened;
  const holderName = holderNameOf(opened);
  const { card: { brand } = {}, source } = payment.paymentMethod;
  const wallet = walletOf(saved?.source ?? source);
  // A saved cryptogram proves the payer of one payment.
  const networkToken = saved && !payment.savedCryptogram ? undefined : opened.networkToken;
  return {
    number,
    expMonth,
    expYear,
    ...defined({ brand, cvc: secret.cvc, wallet, networkToken }),
    ...(holderName && { holderName }),
    ...(secret.cryptogram !== undefined && {
      networkToken: { cryptogram: secret.cryptogram, ...(secret.eci !== undefined && { eci: secret.eci }) },
    }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/**
 * Opens the card of a payment for one call to the processor.
 * @throws {VaultError} when an envelope does not open or was destroyed.
 * @throws {TokenGoneError} when the payment charges a saved card that is gone.
 */
export async function openCredential(sources: CardSources, payment: Payment): Promise<OpenedCredential> {
  const { opened, saved } = await openEnvelope<SealedCard>(sources, payment);
  if (opened.clickToPay) return { clickToPay: opened.clickToPay };
  const binding = bindingOf(payment, 'cvc');
  const secret = payment.cvc ? await openJson<SealedSecret>(sources.vault, payment.cvc, binding) : {};
  const { cardholder } = opened;
  return {
    card: toProcessorCard(payment, opened, secret, saved),
    ...defined({ cardholder, saved }),
  };
}

/**
 * Returns what an authorization carries of the authentication, and the exemption that the merchant claims; `undefined`: there is neither.
 */
export async function openThreeDsProof(
  { vault }: Pick<CardSources, 'vault'>,
  payment: Payment,
): Promise<ThreeDsProof | undefined> {
  const { threeDs, exemption, authenticationValue: sealed } = payment;
  if (!isAuthenticated(threeDs)) return exemption === undefined ? undefined : { exemption };
  const { version, transStatus, flow, eci, dsTransactionId, liabilityShift } = threeDs;
  const value = sealed && (await vault.open(sealed, bindingOf(payment, 'authenticationValue')));
  const authenticationValue = value?.toString('utf8');
  return defined({
    exemption,
    version,
    transStatus,
    flow,
    eci,
    dsTransactionId,
    liabilityShift,
    authenticationValue,
  });
}
