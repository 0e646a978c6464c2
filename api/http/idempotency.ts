/**
 * `Idempotency-Key` (docs/decisions.md, "Idempotency-Key"): a repeated request gets the same answer again and is not processed again.
 * An answer is kept when it says what became of the request (success, 409, a 422 or 400 that names its payment). A refusal that changed
 * nothing releases the key. After a fault of ours the id chosen for the object is kept, so that the next try finds out whether the
 * object exists.
 */
import type { Request, Response } from 'express';
import { limits } from '../../config/limits.js';
import {
  conflict,
  GatewayError,
  invalidField,
  isServerError,
  toEnvelope,
} from '../../shared/contract/gateway-error.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { Log } from '../../shared/log.js';
import type { IdempotencyClaim } from '../../shared/store/idempotency.repository.js';
import type { IdempotencyDeps } from '../deps.js';
import { Answer, type Endpoint, type Idempotency, successStatus } from './define-endpoint.js';
import { toGatewayError } from './error-middleware.js';
import { type RequestState, stateOf } from './request-state.js';

const IDEMPOTENCY_HEADER = 'Idempotency-Key';
const REPLAYED_HEADER = 'Idempotent-Replayed';

const KEY_TEXT = new RegExp(`^[\\x20-\\x7e]{1,${limits.idempotencyKeyLengthMax}}$`);

/**
 * Returns the key of a request, if it has one.
 * @throws {GatewayError} when it is repeated, empty, too long or not printable.
 */
function keyOf(request: Request): string | undefined {
  // Almost no request has a key, and `headersDistinct` walks over all headers.
  if (request.headers['idempotency-key'] === undefined) return undefined;
  const { 'idempotency-key': values = [] } = request.headersDistinct;
  const [key = ''] = values;
  if (values.length === 1 && KEY_TEXT.test(key)) return key;
  const reason = `must be given once and have 1 to ${limits.idempotencyKeyLengthMax} printable ASCII characters`;
  throw invalidField(IDEMPOTENCY_HEADER, reason);
}

const running = () =>
  new GatewayError('conflict', {
    message: 'A request with this Idempotency-Key is still being processed. Retry after the interval in Retry-After.',
    retryAfterSeconds: limits.retryAfterPaymentSeconds,
  });
const otherBody = () => conflict('This Idempotency-Key was used with a different body. Use a new key.');
const notKept = () =>
  new GatewayError('conflict', {
    message: 'This request was already processed, but its response was too large to keep. Read the object by its id.',
  });

/**
 * Whether an error says what became of the request. A 409 does, and so does an error that names its payment: a 422, or the 400 of a
 * saved card that was deleted while the payment was accepted. A 409 with Retry-After does not: it asks the caller to try again. Neither
 * does a 422 without a payment: it is about the cvc, which is not part of the digest.
 */
const isKept = ({ status, params, retryAfterSeconds }: GatewayError) =>
  (status === 409 || ((status === 422 || status === 400) && params?.['paymentId'] !== undefined)) &&
  retryAfterSeconds === undefined;

/** Returns the requested path in the single spelling that its pattern allows. */
const pathOf = (pattern: string, params: Request['params']) =>
  pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));

/** The status and body to keep; without the body when it is too large. */
function toKept(status: number, body: unknown) {
  const text = JSON.stringify(body ?? {});
  return Buffer.byteLength(text) > limits.idempotencyAnswerBytesMax ? { status } : { status, body: text };
}

/**
 * A failure to keep the answer must not withhold it from the caller: the request was processed. The next call with the key finds the
 * object.
 */
async function keepOrLog(log: Log, write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    log.warn('idempotency.not-kept', { error });
  }
}

async function settleFailure(thrown: unknown, { rows }: IdempotencyDeps, claim: IdempotencyClaim, state: RequestState) {
  const error = toGatewayError(thrown);
  if (isKept(error)) {
    await keepOrLog(state.log, rows.finish(claim, toKept(error.status, toEnvelope(error, state.traceId))));
  } else if (isServerError(error.status)) {
    await keepOrLog(state.log, rows.abandon(claim));
  } else {
    await keepOrLog(state.log, rows.forget(claim));
  }
}

/** The answer that an earlier call with the same key got. This call did nothing. */
export class KeptAnswer extends Answer {}

interface Handler {
  /** Throws when the caller may not see the object that the request is about. */
  authorize(): Promise<unknown>;
  /** Gets what the new id is derived from. */
  run(idempotency?: Idempotency): Promise<unknown>;
}

/**
 * Whether the kept answer must not be shown to this key. A refused duplicate shows the holder of the reference according to the rights
 * of the calling key: a key of some merchants does not get the answer of another key, its request is refused again.
 */
const isHiddenFromKey = ({ merchants }: Principal, body: string | undefined) =>
  merchants !== 'all' && body !== undefined && JSON.parse(body).code === 'duplicated-reference-id';

/**
 * Runs the handler of an idempotent endpoint once per key. A caller without access to the object learns nothing about the key either.
 * @throws {GatewayError} `conflict` for another body or a call that is still running, and anything that the handler throws.
 */
export async function runOnce(
  endpoint: Endpoint,
  request: Request,
  response: Response,
  deps: IdempotencyDeps,
  { authorize, run }: Handler,
): Promise<unknown> {
  const key = endpoint.idempotent ? keyOf(request) : undefined;
  const state = stateOf(response);
  if (key === undefined || !state.principal) return run();
  await authorize();

  const path = `${request.method} ${pathOf(endpoint.path, request.params)}`;
  const { clientId } = state.principal;
  const digest = deps.digest(request.body);
  const start = await deps.rows.start({ clientId, path, key }, digest, deps.leaseMs);
  if (start.kind === 'running') throw running();
  if (start.kind === 'other-body') {
    // Counts as a guess for the reference guard, by a digest: the key itself is stored nowhere.
    await deps.references.isSame(clientId, `idempotency:${deps.digest({ path, key })}`, undefined, digest);
    throw otherBody();
  }
  if (start.kind === 'answered') {
    if (isHiddenFromKey(state.principal, start.body)) return run({ seed: start.seed, resumed: true });
    if (start.body === undefined) throw notKept();
    const headers = { 'Content-Type': 'application/json; charset=utf-8', [REPLAYED_HEADER]: 'true' };
    return new KeptAnswer(start.body, start.status, headers);
  }
  const { claim } = start;
  try {
    const result = await run({ seed: claim.seed, resumed: claim.resumed });
    const { status = successStatus(endpoint), body } = result instanceof Answer ? result : { body: result };
    const row = endpoint.answerNotStored ? deps.rows.abandon(claim) : deps.rows.finish(claim, toKept(status, body));
    await keepOrLog(state.log, row);
    return result;
  } catch (error) {
    await settleFailure(error, deps, claim, state);
    throw error;
  }
}
