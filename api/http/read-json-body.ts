/**
 * Reads a JSON body within its bounds (docs/security.md#size-of-a-body, docs/security.md#ambiguous-json). It settles what RFC 8259
 * leaves open: only UTF-8 without a byte order mark, the last value of a repeated key counts, `__proto__` is refused everywhere.
 */
import { isUtf8 } from 'node:buffer';
import type { RequestHandler } from 'express';
import { limits } from '../../config/limits.js';
import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { hasBody, readBytes } from './read-bytes.js';

const CONTENT_TYPE = /^application\/json[ \t]*(?:;[^;]*)*$/i;
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*"?([^";, \t]*)/i;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const invalid = (message: string, at = 'body') => invalidField(at, message);

/** Refuses anything but uncompressed JSON in UTF-8, before a byte of it is read. */
const checkMediaType: RequestHandler = (request, _response, next) => {
  if (!hasBody(request)) return next();
  const type = request.headers['content-type'] ?? '';
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (!CONTENT_TYPE.test(type) || charset !== 'utf-8' || encoding.toLowerCase() !== 'identity') {
    throw new GatewayError('unsupported-media-type');
  }
  next();
};

/**
 * Checks depth, array lengths and forbidden keys of a parsed body.
 * @param path of `value` in the body; changed during the walk and restored when nothing is thrown
 * @throws {GatewayError} that names the field that breaks a bound.
 */
function checkShape(value: unknown, path: string[] = []): void {
  if (typeof value !== 'object' || value === null) return;
  if (path.length >= limits.jsonDepthMax) throw invalid(`must not be nested deeper than ${limits.jsonDepthMax} levels`);
  if (Array.isArray(value) && value.length > limits.arrayItemsMax) {
    throw invalid(`must have at most ${limits.arrayItemsMax} items`, safePlace(path.join('.') || 'body'));
  }
  for (const key of Object.keys(value)) {
    path.push(key);
    if (key === '__proto__') throw invalid('"__proto__" is not allowed as a field name', safePlace(path.join('.')));
    checkShape((value as Record<string, unknown>)[key], path);
    path.pop();
  }
}

/** Field names are the caller's text: only harmless ones are repeated. */
const safePlace = (place: string) =>
  /^[\w.-]+$/.test(place) && !/\d{12}/.test(place) ? place.slice(0, limits.jsonPlaceLengthMax) : 'body';

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalid('must be valid UTF-8');
  if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
    throw invalid('must not start with a byte order mark');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's own message quotes what was sent.
    throw invalid('must be valid JSON');
  }
}

const parseBody: RequestHandler = (request, _response, next) => {
  const bytes: unknown = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
    request.body = undefined;
    return next();
  }
  const value = parse(bytes);
  checkShape(value);
  request.body = value;
  next();
};

/** The middlewares that put the parsed body on `request.body`, which stays undefined without a body. */
export const readJsonBody: readonly RequestHandler[] = [checkMediaType, readBytes(limits.jsonBodyBytesMax), parseBody];
