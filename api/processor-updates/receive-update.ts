/**
 * Receives the updates that processors send by themselves: `POST /v1/processors/{code}/updates`, or
 * `POST /v1/processors/{code}/updates/{merchantId}` for merchants with an account of their own at the processor. There are no client
 * credentials: the signature proves the sender. An update is stored, then acknowledged, then processed; an update that was not stored
 * is not acknowledged, so that the processor sends it again.
 */
import type { Request, Response } from 'express';
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { credentialNamesOf, isProcessorCode } from '../../shared/processors/capabilities.js';
import { credentialsLoader, type LoadCredentials } from '../../shared/processors/merchant-credentials.js';
import type { ProcessorUpdate, UpdateAnswer, UpdateReader } from '../../shared/processors/updates.js';
import { applyProcessorUpdate } from '../../shared/queue/apply-update.job.js';
import type { ApiDeps } from '../deps.js';
import { stateOf } from '../http/request-state.js';
import { send } from '../http/send.js';

export type UpdateDeps = Pick<
  ApiDeps,
  'updateReaders' | 'updates' | 'credentials' | 'vault' | 'nudges' | 'clock' | 'log' | 'metrics'
>;

/** Address that an update was sent to. */
export interface UpdateTarget {
  readonly code: string;
  readonly reader: UpdateReader;
  readonly merchantId?: number;
}

const MERCHANT_ID = /^[1-9]\d{0,14}$/;

/** @throws {GatewayError} `not-found` when no processor of this installation sends updates to this address */
export function updateTargetOf({ updateReaders }: Pick<ApiDeps, 'updateReaders'>, request: Request): UpdateTarget {
  const code = String(request.params['code']);
  const merchant = request.params['merchantId'];
  const reader = updateReaders.get(code);
  if (!reader || (merchant !== undefined && !MERCHANT_ID.test(String(merchant)))) throw new GatewayError('not-found');
  return { code, reader, ...(merchant !== undefined && { merchantId: Number(merchant) }) };
}

/** Creates loaders of credentials, one per processor. Opened credentials are cached for some seconds. */
function createLoaders(deps: UpdateDeps): (code: string) => LoadCredentials {
  const loaders = new Map<string, LoadCredentials>();
  return (code) => {
    const known =
      loaders.get(code) ?? credentialsLoader(deps, code, isProcessorCode(code) ? credentialNamesOf(code) : []);
    loaders.set(code, known);
    return known;
  };
}

const idLength = (id: string | undefined) => id === undefined || (id !== '' && id.length <= limits.updateIdLengthMax);

/** Whether an update can be stored and found again. If not, its reader has a defect. */
const isSound = ({ eventId, key, processorReference }: ProcessorUpdate): boolean =>
  idLength(eventId) && idLength(key) && idLength(processorReference) && (key ?? processorReference) !== undefined;

function readable(answer: UpdateAnswer): UpdateAnswer {
  if (answer.kind !== 'verified') return answer;
  const { updates } = answer;
  const sound = updates.length <= limits.updatesPerBodyMax && updates.every(isSound);
  return sound
    ? answer
    : { kind: 'unreadable', internal: 'an update has no id, an id that is too long, or too many came' };
}

const refusals = {
  unverified: ['update-unverified', 'unauthorized', 'The signature is missing, wrong or too old.'],
  unreadable: ['update-unreadable', 'request-validation-errors', 'The update is signed and cannot be read.'],
} as const;

/** Refuses a delivery. Nothing of its body is logged, because its sender is not proven or its content is not as expected. */
function refuseDelivery(
  deps: UpdateDeps,
  { code }: UpdateTarget,
  { kind, internal }: Exclude<UpdateAnswer, { kind: 'verified' }>,
  address: string,
): never {
  const [event, error, message] = refusals[kind];
  deps.metrics.event(event);
  deps.log.warn(`update.${kind}`, { code, reason: internal, address });
  throw new GatewayError(error, { message, internal });
}

/** Creates the handler for one delivery of a processor; the raw bytes are in `request.body`. */
export function createReceiver(deps: UpdateDeps) {
  const loaderOf = createLoaders(deps);
  return async (target: UpdateTarget, request: Request, response: Response): Promise<void> => {
    const { code, reader, merchantId } = target;
    const { traceId, remoteAddress } = stateOf(response);
    const now = deps.clock.now();
    const credentials = merchantId === undefined ? undefined : await loaderOf(code)(merchantId);
    if (merchantId !== undefined && !credentials) {
      // The same answer as to a wrong signature, so that an anonymous caller cannot find out who has credentials here.
      const internal = `merchant ${merchantId} has no credentials at ${code}`;
      return refuseDelivery(deps, target, { kind: 'unverified', internal }, remoteAddress);
    }
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const raw = { body, headers: request.headers, now, ...(credentials && { credentials }) };
    const answer = readable(await reader.read(raw));
    if (answer.kind !== 'verified') return refuseDelivery(deps, target, answer, remoteAddress);
    const received = answer.updates.map((update) => ({
      processor: code,
      merchantId,
      update,
      traceId,
      receivedAt: now,
    }));
    const ids = await deps.updates.store(received);
    for (const updateId of ids) void deps.nudges.add(applyProcessorUpdate, { updateId, traceId });
    send(response, 200, reader.acknowledgement ?? '', { 'Content-Type': 'text/plain; charset=utf-8' });
  };
}
