import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../config/index.js';
import { parseBasicHeader } from './basic-header.js';

/** Digests have one length, so that the comparison takes the same time whatever was sent. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Whether an `Authorization` header is the operator's (S51). */
export function isOperator(
  config: Pick<Config, 'operatorUser' | 'operatorPassword'>,
  authorizationHeader: string | undefined,
): boolean {
  const basic = parseBasicHeader(authorizationHeader);
  if (basic.kind !== 'credentials') return false;
  const user = sameText(basic.userId, config.operatorUser);
  const password = sameText(basic.password, config.operatorPassword);
  return user && password;
}
