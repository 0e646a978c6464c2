/**
 * Who may speak to the test processor: not the pages of other web sites, which a browser on this machine would let post here
 * (docs/security.md#sandbox).
 */
import type { IncomingMessage } from 'node:http';
import { isLoopbackName } from '../../../api/http/loopback.js';

/** The pages of the mock bank and issuer: browsers come from pages of merchants, which may be anywhere. */
const FOR_BROWSERS = /^\/(?:bank|threeds|acs)\//;

function nameIn(url: string): string | undefined {
  try {
    return new URL(url).hostname;
  } catch {
    return undefined;
  }
}

/**
 * A name that points to this machine comes in `Host`, another site in `Origin`; programs send no `Origin`.
 * @param boundTo where the server listens; on other addresses than loopback its names are not known
 */
export function isAdmitted({ headers, url = '/' }: IncomingMessage, boundTo: string): boolean {
  const host = nameIn(`http://${headers.host ?? ''}`);
  if (isLoopbackName(boundTo) && (host === undefined || !isLoopbackName(host))) return false;
  if (headers.origin === undefined || FOR_BROWSERS.test(url)) return true;
  const origin = nameIn(headers.origin);
  return origin !== undefined && isLoopbackName(origin);
}
