/**
 * Decides who may call the test processor. Pages of other web sites may not: a browser on this machine would let them post here
 * (docs/security.md#sandbox).
 */
import type { IncomingMessage } from 'node:http';
import { isLoopbackName } from '../../../api/http/loopback.js';

/** The pages of the mock bank and issuer: browsers come to them from pages of merchants, which may be anywhere. */
const FOR_BROWSERS = /^\/(?:bank|threeds|acs)\//;

function nameIn(url: string): string | undefined {
  try {
    return new URL(url).hostname;
  } catch {
    return undefined;
  }
}

/**
 * A DNS name that points to this machine shows in `Host`, another site in `Origin`. Programs send no `Origin`.
 * @param boundTo where the server listens; on other addresses than loopback the names of the server are not known
 */
export function isAdmitted({ headers, url = '/' }: IncomingMessage, boundTo: string): boolean {
  const host = nameIn(`http://${headers.host ?? ''}`);
  if (isLoopbackName(boundTo) && (host === undefined || !isLoopbackName(host))) return false;
  if (headers.origin === undefined || FOR_BROWSERS.test(url)) return true;
  const origin = nameIn(headers.origin);
  return origin !== undefined && isLoopbackName(origin);
}
