/**
 * THE LIST of readers of inbound updates. It is separate from `registry.ts` because the API creates readers and no adapters: it holds
 * secrets of signatures, but no credentials that move money. A new reader is a line here and its settings in `config/update-settings.ts`.
 */
import type { Config } from '../../config/index.js';
import type { UpdateSettingName } from '../../config/update-settings.js';
import { defined } from '../domain/defined.js';
import { createAdyenUpdateReader } from './adyen/read-adyen-update.js';
import { maskMessages } from './mask-messages.js';
import { createSandboxUpdateReader } from './sandbox/read-sandbox-update.js';
import { createStripeUpdateReader } from './stripe/read-stripe-update.js';
import type { UpdateReader } from './updates.js';

export type UpdateConfig = Pick<Config, UpdateSettingName> & Partial<Pick<Config, 'environment'>>;

/** Creates a reader; `undefined` when this installation is not configured for it. */
type Create = (config: UpdateConfig) => UpdateReader | undefined;

const readers = {
  sandbox: ({ sandboxUpdateSecret: secret }) => (secret === undefined ? undefined : createSandboxUpdateReader(secret)),
  // Merchants may have webhooks of their own, whose secrets are among their credentials.
  stripe: ({ stripeWebhookSecret: secret, environment }) =>
    createStripeUpdateReader(secret, environment === 'production'),
  // A merchant may have keys of its own, so the reader exists even without settings.
  adyen: ({ adyenHmacKeys: hmacKeys, adyenWebhookUser: user, adyenWebhookPassword: password }) =>
    createAdyenUpdateReader(defined({ hmacKeys, user, password })),
} as const satisfies Record<string, Create>;

/** Whether the processor sends updates that the gateway can read. */
export const hasUpdateReader = (code: string): boolean => Object.hasOwn(readers, code);

export interface UpdateReaders {
  /** `undefined` for a code that is unknown, sends none, or is not configured here. */
  get(code: string): UpdateReader | undefined;
}

/** Wraps a reader so that no message of an update contains a card number: updates are stored as they are read. */
const maskUpdates = (reader: UpdateReader): UpdateReader => ({
  ...reader,
  async read(raw) {
    const answer = await reader.read(raw);
    return answer.kind === 'verified' ? { ...answer, updates: answer.updates.map(maskMessages) } : answer;
  },
});

export function createUpdateReaders(config: UpdateConfig): UpdateReaders {
  const made = new Map<string, UpdateReader>();
  for (const [code, create] of Object.entries<Create>(readers)) {
    const reader = create(config);
    if (reader !== undefined) made.set(code, maskUpdates(reader));
  }
  return { get: (code) => made.get(code) };
}
