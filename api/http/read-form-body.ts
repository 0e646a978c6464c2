/** Reads a body in HTML's form encoding (`application/x-www-form-urlencoded`), as OAuth 2.0 requires. */
import type { RequestHandler } from 'express';
import { limits } from '../../config/limits.js';
import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { readBytes } from './read-bytes.js';

const CONTENT_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;[^;]*)*$/i;

const checkMediaType: RequestHandler = (request, _response, next) => {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (!CONTENT_TYPE.test(request.headers['content-type'] ?? '') || encoding.toLowerCase() !== 'identity') {
    throw new GatewayError('unsupported-media-type', {
      message: 'Send the body uncompressed with Content-Type: application/x-www-form-urlencoded.',
    });
  }
  next();
};

/** Refuses a repeated parameter, and treats a parameter without a value as absent (RFC 6749, 3.2). */
const parseForm: RequestHandler = (request, _response, next) => {
  const bytes: unknown = request.body;
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(Buffer.isBuffer(bytes) ? bytes.toString('utf8') : '')) {
    if (form.has(name)) {
      const place = /^[a-z_]{1,32}$/.test(name) ? name : 'body';
      throw invalidField(place, 'must be given once');
    }
    form.set(name, value);
  }
  for (const [name, value] of form) if (value === '') form.delete(name);
  // fromEntries defines properties: a parameter called __proto__ is a plain key.
  request.body = Object.fromEntries(form);
  next();
};

/** The middlewares that put the parameters on `request.body`, as an object of strings. A larger body is refused. */
export const formBodyUpTo = (bytesMax: number): readonly RequestHandler[] => [
  checkMediaType,
  readBytes(bytesMax),
  parseForm,
];

export const readFormBody = formBodyUpTo(limits.formBodyBytesMax);
