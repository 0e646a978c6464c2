/** Seals what a payment carries of its card: the first line that sees card data makes it unreadable. */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { cardFingerprint } from '../../shared/vault/card-fingerprint.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import type { PaymentDeps } from './payment-deps.js';
import type { ResolvedSource } from './resolve-source.js';

type SealedFields = Pick<
  Payment,
  'card' | 'cardFingerprint' | 'cvc' | 'cvcDestroyAt' | 'instrument' | 'authenticationValue'
>;

/** Nothing is stored that could not be sealed. The keys come back with MongoDB. */
export function refuseUnsealed(cause: unknown): never {
  if (!(cause instanceof VaultError)) throw cause;
  const internal = 'the card could not be sealed';
  throw new GatewayError('service-unavailable', { internal, cause, retryAfterSeconds: 2 });
}

/**
 * Card and secret in an envelope each, bound to the payment; the secret's is destroyed with the outcome.
 * @throws {GatewayError} `service-unavailable` when the vault has no key: nothing was stored.
 */
export async function sealSource(
  deps: PaymentDeps,
  source: ResolvedSource,
  owner: { readonly paymentId: string; readonly clientId: string },
  now: Date,
): Promise<SealedFields> {
  const { paymentId: recordId, clientId } = owner;
  const { card, secret, number, instrument, external } = source;
  const fingerprint = number === undefined ? source.fingerprint : cardFingerprint(deps.config.fingerprintKey, number);
  const [sealedCard, sealedSecret, sealedProof] = await Promise.all([
    card && deps.vault.seal('card', JSON.stringify(card), { recordId, field: 'card', clientId }),
    secret === undefined ? undefined : deps.vault.seal('cvc', secret, { recordId, field: 'cvc', clientId }),
    external && deps.vault.seal('cvc', external.value, { recordId, field: 'authenticationValue', clientId }),
  ]).catch(refuseUnsealed);
  return {
    ...(sealedCard && { card: sealedCard }),
    ...(fingerprint !== undefined && { cardFingerprint: fingerprint }),
    ...(sealedSecret && { cvc: sealedSecret, cvcDestroyAt: new Date(now.getTime() + limits.cvcDestroyMs) }),
    ...(sealedProof && { authenticationValue: sealedProof }),
    ...(instrument !== undefined && { instrument }),
  };
}
