/** Seals what a payment carries of its card, before the flow looks at anything else. */

import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { defined } from '../../shared/domain/defined.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { cardFingerprint } from '../../shared/vault/card-fingerprint.js';
import type { SealBinding } from '../../shared/vault/vault.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import type { ApiDeps } from '../deps.js';
import type { ExternalAuthentication } from './external-authentication.js';
import type { PaymentDraft } from './payment-draft.js';
import { refuseOwnNumber } from './refuse-card-texts.js';
import type { ResolvedSource } from './resolve-source.js';

interface Deps extends Pick<ApiDeps, 'config' | 'clock'> {
  readonly vault: Pick<ApiDeps['vault'], 'seal'>;
}

type SealedFields = Pick<Payment, 'card' | 'cvc' | 'cvcDestroyAt' | 'instrument' | 'authenticationValue'>;

/** Nothing is stored that could not be sealed. The keys come back with MongoDB. */
export function refuseUnsealed(cause: unknown): never {
  if (!(cause instanceof VaultError)) throw cause;
  const internal = 'the card could not be sealed';
  throw new GatewayError('service-unavailable', { internal, cause, retryAfterSeconds: 2 });
}

const withoutValue = ({ value: _value, ...rest }: ExternalAuthentication) => rest;

/** A source whose card data is sealed: what is known of it from here on. */
export type SealedSource = Omit<ResolvedSource, 'card' | 'secret' | 'number' | 'external'> & {
  /** The merchant's own authentication, without its value. */
  readonly external?: Omit<ExternalAuthentication, 'value'>;
  readonly sealed: SealedFields;
  /** The payer's own secret came with it: a cvc, or a cryptogram. */
  readonly withSecret: boolean;
};

/**
 * Card and secret in an envelope each, bound to the payment; the secret's is destroyed with the outcome.
 * @throws {GatewayError} `service-unavailable` when the vault has no key: nothing was stored.
 */
async function sealFields(
  deps: Deps,
  source: ResolvedSource,
  payment: Omit<SealBinding, 'field'>,
): Promise<SealedFields> {
  const { card, secret, number, instrument, external } = source;
  // In the envelope and nowhere else: it goes with the card, and a card that is saved takes it along (docs/security.md#destroyed-numbers).
  const fingerprint = number === undefined ? {} : { fingerprint: cardFingerprint(deps.config.fingerprintKey, number) };
  const [sealedCard, sealedSecret, sealedProof] = await Promise.all([
    card && deps.vault.seal('card', JSON.stringify({ ...card, ...fingerprint }), { ...payment, field: 'card' }),
    secret === undefined ? undefined : deps.vault.seal('cvc', secret, { ...payment, field: 'cvc' }),
    external && deps.vault.seal('cvc', external.value, { ...payment, field: 'authenticationValue' }),
  ]).catch(refuseUnsealed);
  const destroyAt = deps.clock.now().getTime() + limits.cvcDestroyMs;
  return {
    ...defined({ card: sealedCard, authenticationValue: sealedProof, instrument }),
    ...(sealedSecret && { cvc: sealedSecret, cvcDestroyAt: new Date(destroyAt) }),
  };
}

/**
 * The last line that sees the number of the card.
 * @param id of the payment
 * @throws {GatewayError} `service-unavailable`; `request-validation-errors` where a text of the request holds the number
 */
export async function sealSource(
  deps: Deps,
  resolved: ResolvedSource,
  { id, draft, clientId }: { readonly id: string; readonly draft: PaymentDraft; readonly clientId: string },
): Promise<SealedSource> {
  refuseOwnNumber(draft, resolved.number);
  const { card: _card, secret, number: _number, external, ...rest } = resolved;
  const { merchantId, customerId } = draft;
  const sealed = await sealFields(deps, resolved, { recordId: id, clientId, owner: { merchantId, customerId } });
  return { ...rest, sealed, withSecret: secret !== undefined, ...(external && { external: withoutValue(external) }) };
}
