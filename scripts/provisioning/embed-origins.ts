import { limits } from '../../config/limits.js';
import { parseUrl } from '../../shared/outbound/parse-url.js';
import { type Provisioning, ProvisioningError } from './provisioning.js';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Returns the origin as browsers send it: https without path, query or user, or http for this machine only. Undefined for other texts. */
export function toOrigin(text: string): string | undefined {
  const url = parseUrl(text);
  if (!url) return undefined;
  const { origin, protocol, hostname, pathname, search, hash, username, password } = url;
  const bare = pathname === '/' && !search && !hash && !username && !password;
  const safe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  return bare && safe ? origin : undefined;
}

/**
 * Sets the origins whose pages may frame a merchant's embedded tokenization page. Replaces the former list.
 * @returns the origins as they are stored
 * @throws {ProvisioningError} when there is no such merchant, or a text is not an origin
 */
export async function setEmbedOrigins(
  { merchants }: Provisioning,
  { merchantId, origins }: { merchantId: number; origins: readonly string[] },
): Promise<readonly string[]> {
  const parsed = origins.map((text) => {
    const origin = toOrigin(text);
    if (origin) return origin;
    throw new ProvisioningError(
      `"${text}" is no origin: give scheme and host, with https (http for this machine only), for example https://shop.example.`,
    );
  });
  const unique = [...new Set(parsed)];
  if (unique.length > limits.embedOriginsMax) {
    throw new ProvisioningError(`A merchant has at most ${limits.embedOriginsMax} embed origins.`);
  }
  if (!(await merchants.setEmbedOrigins(merchantId, unique))) {
    throw new ProvisioningError(`There is no merchant ${merchantId}.`);
  }
  return unique;
}
