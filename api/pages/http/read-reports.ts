/**
 * Browsers' reports about violations of the pages' policies: they are only counted. A report contains addresses, and the address of an
 * embedded page proves its session, so no report is logged or kept (docs/security.md#integrity-of-pages).
 */
import type { RequestHandler } from 'express';
import { limits } from '../../../config/limits.js';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import { readBytes } from '../../http/read-bytes.js';

const CONTENT_TYPE = /^application\/(?:csp-report|reports\+json)[ \t]*(?:;[^;]*)*$/i;

const checkMediaType: RequestHandler = (request, _response, next) => {
  if (!CONTENT_TYPE.test(request.headers['content-type'] ?? '')) throw new GatewayError('unsupported-media-type');
  next();
};

/** The middlewares that put the bytes of a report on `request.body`; a larger body is refused. */
export const readReportBody: readonly RequestHandler[] = [checkMediaType, readBytes(limits.formBodyBytesMax)];

/** Whether a body is a report: an object in the older format, a list in the newer one. */
export function isReport(body: unknown): boolean {
  try {
    const sent: unknown = JSON.parse(Buffer.isBuffer(body) ? body.toString('utf8') : '');
    return Array.isArray(sent) ? sent.length > 0 : typeof sent === 'object' && sent !== null && 'csp-report' in sent;
  } catch {
    return false;
  }
}
