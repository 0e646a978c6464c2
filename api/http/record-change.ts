import type { ApiDeps } from '../deps.js';
import type { Changer } from './define-endpoint.js';

/**
 * Records in the audit that a merchant's configuration was changed (docs/security.md#audit).
 * @param object what was changed, below the merchant: `visa`.
 * @throws when the audit cannot be written; the entry is then in the log, because the change itself was made.
 */
export async function recordChange(
  { audit }: Pick<ApiDeps, 'audit'>,
  { principal, traceId, log }: Changer,
  change: { readonly action: string; readonly merchantId: number; readonly object: string },
): Promise<void> {
  const { action, merchantId } = change;
  const object = `${merchantId}/${change.object}`;
  try {
    const actor = principal.keyId;
    await audit.append({ clientId: principal.clientId, actor, action, object, merchantId, outcome: 'done', traceId });
  } catch (error) {
    log.error('audit.not-written', { kind: action, merchantId, reason: `not recorded: ${object}`, error });
    throw error;
  }
}
