/**
 * Which origins may frame the embedded page, and which of them receives its messages (docs/security.md#content-policy-of-pages,
 * docs/security.md#messages-of-the-embedded-page; docs/decisions.md, "embedding").
 */
import type { Config } from '../../../config/index.js';
import type { HostedSession } from '../../sessions/hosted-session.js';
import type { Framing } from './answer-tokenization.js';

const originOf = (url: string): string => new URL(url).origin;

const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/**
 * Returns the framing of a session.
 * @param from origin of the page around ours, as reported by the browser or by our own form.
 * @returns undefined when no site may frame the session.
 */
export function framingOf(
  { session, merchant }: HostedSession,
  environment: Config['environment'],
  from: string | undefined,
): Framing | undefined {
  const { defaultUrl, cancelUrl } = session.settings.redirects ?? {};
  const known = new Set([defaultUrl, cancelUrl].filter((url) => url !== undefined).map(originOf));
  for (const origin of merchant.embedOrigins) known.add(origin);
  if (environment === 'testing' && from !== undefined && LOOPBACK.test(from)) known.add(from);
  const ancestors = [...known];
  const origin = from !== undefined && known.has(from) ? from : ancestors[0];
  return origin === undefined ? undefined : { origin, ancestors };
}
