/** Every call that changes something leaves an entry in the audit, done or refused (docs/security.md#audit). */

import type { Request } from 'express';
import { limits } from '../../config/limits.js';
import type { GatewayError } from '../../shared/contract/gateway-error.js';
import { isServerError } from '../../shared/contract/gateway-error.js';
import { defined } from '../../shared/domain/defined.js';
import { type Log, maskDigits } from '../../shared/log.js';
import type { AuditEntry, AuditRepository } from '../../shared/store/audit.repository.js';
import { Answer, type Endpoint } from './define-endpoint.js';
import type { AuditedCall, RequestState } from './request-state.js';

const TOO_MANY = 429;

/** Whether a call changes something. A POST that creates or changes something is idempotent; the other POSTs only read. */
const changesSomething = ({ method, idempotent }: Endpoint) =>
  method === 'put' || method === 'delete' || idempotent === true;

/**
 * Masks long digits and removes every character that our ids do not have. A caller may send anything as an id, even a card number.
 * Without such characters the cut cannot split a surrogate pair either: MongoDB replaces half a pair, and the hash of the entry would
 * no longer match.
 */
const idsIn = (text: string) => maskDigits(text.replace(/[^\w/-]/g, ''));

/** Returns the id of the object that was created or changed: from the path, or else from the answer. */
function objectOf(params: Request['params'], result: unknown): string {
  const ids = Object.values(params).map(String);
  const made = (result instanceof Answer ? result.body : result) as { id?: unknown; token?: unknown } | undefined;
  const id = made?.id ?? made?.token;
  const object = ids.length > 0 ? ids.join('/') : typeof id === 'string' ? id : '';
  return idsIn(object).slice(0, limits.auditObjectLengthMax);
}

const isPayment = (id: unknown): id is string => typeof id === 'string' && /^pay_\w{1,60}$/.test(id);

/** Returns what a refusal is in the audit. Undefined for too many requests, which are counted, not recorded. */
export function outcomeOf({ status, code }: GatewayError): Pick<AuditEntry, 'outcome' | 'code'> | undefined {
  if (status === TOO_MANY) return undefined;
  return { outcome: isServerError(status) ? 'failed' : 'refused', code };
}

/**
 * Appends an entry without waiting. The change is already decided: a failure to write the audit must not withhold the answer from the
 * caller.
 */
export function appendOrLog(audit: Pick<AuditRepository, 'append'>, log: Log, entry: AuditEntry): void {
  void audit.append(entry).catch((error: unknown) => {
    log.error('audit.not-written', { kind: entry.action, reason: `not recorded: ${entry.object}`, error });
  });
}

/** @returns what records this call; undefined when the call changes nothing. */
export function auditCall(
  endpoint: Endpoint,
  request: Request,
  state: RequestState,
  audit: Pick<AuditRepository, 'append'> | undefined,
): AuditedCall | undefined {
  if (!audit || endpoint.auth === 'none' || !changesSomething(endpoint)) return undefined;
  // Read while the route runs: an error middleware is outside of the route and has no params.
  const { params } = request;
  const append = (result: unknown, how: Pick<AuditEntry, 'outcome' | 'code'>, payment?: unknown) => {
    const { principal, traceId, merchantId, remoteAddress: address } = state;
    if (!principal) return;
    const object = objectOf(params, result);
    const paymentId = [params['paymentId'], payment, object].find(isPayment);
    const { clientId, keyId: actor } = principal;
    const entry = {
      clientId,
      actor,
      action: endpoint.operationId,
      object: object || (paymentId ?? ''),
      ...how,
      ...defined({ merchantId, paymentId }),
      address,
      traceId,
    };
    appendOrLog(audit, state.log, entry);
  };
  return {
    done(result) {
      if (!endpoint.flowWritesAudit) append(result, { outcome: 'done' });
    },
    refused(error) {
      const how = outcomeOf(error);
      if (how) append(undefined, how, error.params?.['paymentId']?.[0]);
    },
  };
}
