import { limits } from '../../config/limits.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { AccessTokens } from './access-token.js';

export type IssueAccessToken = (
  principal: Principal,
) => Promise<{ readonly token: string; readonly expiresInSeconds: number }>;

declare module '../deps.js' {
  interface UseCases {
    /** A bearer token with the rights of the key that asks. */
    issueAccessToken: IssueAccessToken;
  }
}

export function makeIssueAccessToken(tokens: Pick<AccessTokens, 'issue'>): IssueAccessToken {
  return async ({ clientId, keyId }) => ({
    token: await tokens.issue({ clientId, keyId }),
    expiresInSeconds: limits.accessTokenSeconds,
  });
}
