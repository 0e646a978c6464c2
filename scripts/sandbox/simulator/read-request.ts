/** Reads and checks requests to the test processor: by hand, because it runs for every payment of a benchmark. */
import type { IncomingMessage } from 'node:http';
import { limits } from '../../../config/limits.js';
import type {
  WireAuthorization,
  WireCodeRequest,
  WireFollowUp,
  WireOperation,
} from '../../../shared/processors/sandbox/wire.js';

/** Returns the body as text; `undefined` when it is too large. */
export function readText(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limits.jsonBodyBytesMax) chunks.push(chunk);
    });
    request.on('end', () => {
      if (bytes > limits.jsonBodyBytesMax) return resolve(undefined);
      resolve((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString() ?? '');
    });
    request.on('error', reject);
  });
}

/** Returns the body as parsed JSON; `undefined` when it is too large or not JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  try {
    return JSON.parse((await readText(request)) ?? '');
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const KEY = /^[\w-]{1,128}$/;
const CURRENCY = /^[A-Z]{3}$/;
const CARD_NUMBER = /^\d{12,19}$/;

export const isKey = (value: unknown): value is string => typeof value === 'string' && KEY.test(value);

function isOperation(body: unknown): body is WireOperation {
  if (typeof body !== 'object' || body === null) return false;
  const { key, amountMinor, currency } = body as Partial<Record<keyof WireOperation, unknown>>;
  const amountIsRight = Number.isSafeInteger(amountMinor) && (amountMinor as number) > 0;
  return isKey(key) && amountIsRight && typeof currency === 'string' && CURRENCY.test(currency);
}

export function isAuthorization(body: unknown): body is WireAuthorization {
  if (!isOperation(body)) return false;
  const { credential, capture, verification } = body as Partial<Record<keyof WireAuthorization, unknown>>;
  if (typeof capture !== 'boolean' || typeof verification !== 'boolean') return false;
  if (typeof credential !== 'object' || credential === null) return false;
  const { card, clickToPay } = credential as { card?: unknown; clickToPay?: unknown };
  if (card === undefined) return typeof clickToPay === 'object' && clickToPay !== null;
  if (typeof card !== 'object' || card === null) return false;
  const { number, cvc } = card as { number?: unknown; cvc?: unknown };
  const cvcIsRight = cvc === undefined || typeof cvc === 'string';
  return typeof number === 'string' && CARD_NUMBER.test(number) && cvcIsRight;
}

export function isCodeRequest(body: unknown): body is WireCodeRequest {
  if (!isOperation(body)) return false;
  const { merchant, expiresAt } = body as { merchant?: { id?: unknown; name?: unknown }; expiresAt?: unknown };
  const ends = typeof expiresAt === 'string' && Number.isFinite(Date.parse(expiresAt));
  return Number.isSafeInteger(merchant?.id) && typeof merchant?.name === 'string' && ends;
}

export function isFollowUp(body: unknown): body is WireFollowUp {
  return isOperation(body) && isKey((body as { original?: unknown }).original);
}
