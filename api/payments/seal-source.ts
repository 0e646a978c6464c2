/** Seals what a payment carries of its card: the first line that sees card data makes it unreadable. */

import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { cardFingerprint } from '../../shared/vault/card-fingerprint.js';
import type { SealBinding } from '../../shared/vault/vault.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import type { ApiDeps } from '../deps.js';
import type { ResolvedSource } from './resolve-source.js';

type SealedFields = Pick<Payment, 'card' | 'cvc' | 'cvcDestroyAt' | 'instrument' | 'authenticationValue'>;

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
  deps: ApiDeps,
  source: ResolvedSource,
  payment: Omit<SealBinding, 'field'>,
  now: Date,
): Promise<SealedFields> {
  const { card, secret, number, instrument, external } = source;
  // In the envelope and nowhere else: it goes with the card, and a card that is saved takes it along (docs/security.md#destroyed-numbers).
  const fingerprint = number === undefined ? {} : { fingerprint: cardFingerprint(deps.config.fingerprintKey, number) };
  const [sealedCard, sealedSecret, sealedProof] = await Promise.all([
    card && deps.vault.seal('card', JSON.stringify({ ...card, ...fingerprint }), { ...payment, field: 'card' }),
    secret === undefined ? undefined : deps.vault.seal('cvc', secret, { ...payment, field: 'cvc' }),
    external && deps.vault.seal('cvc', external.value, { ...payment, field: 'authenticationValue' }),
  ]).catch(refuseUnsealed);
  return {
    ...(sealedCard && { card: sealedCard }),
    ...(sealedSecret && { cvc: sealedSecret, cvcDestroyAt: new Date(now.getTime() + limits.cvcDestroyMs) }),
    ...(sealedProof && { authenticationValue: sealedProof }),
    ...(instrument !== undefined && { instrument }),
  };
}
