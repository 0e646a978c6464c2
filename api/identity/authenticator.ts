/**
 * Authenticates requests: by HTTP Basic with client id and API key, or by a bearer token that was issued for such a key
 * (docs/api.md#authentication; docs/security.md#identity, docs/security.md#bearer-tokens).
 */
import { timingSafeEqual } from 'node:crypto';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { defined } from '../../shared/domain/defined.js';
import type { Principal } from '../../shared/domain/principal.js';
import { parseBasicHeader } from '../../shared/identity/basic-header.js';
import { isClientId } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';
import type { ApiKeyRow } from '../../shared/store/client.model.js';
import type { ClientRepository } from '../../shared/store/client.repository.js';
import { createReadCache } from '../../shared/store/read-cache.js';
import type { Authenticator } from '../deps.js';
import { type AccessTokens, bearerTokenOf } from './access-token.js';
import { digestApiKey, type Environment, isApiKeyOf } from './api-key.js';

interface KnownKey {
  readonly digest: Buffer;
  readonly expiresAtMs: number;
  readonly principal: Principal;
}

/** Compared when a client has no key, so that an unknown client takes the same work. */
const noKeys: readonly KnownKey[] = [
  {
    digest: Buffer.alloc(32),
    expiresAtMs: Number.NEGATIVE_INFINITY,
    principal: { clientId: '', keyId: '', merchants: [] },
  },
];

function toKnownKey(row: ApiKeyRow): KnownKey {
  const merchants = row.kind === 'primary' ? 'all' : row.merchantIds;
  return {
    digest: Buffer.from(row.digest, 'base64url'),
    expiresAtMs: row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    principal: {
      clientId: row.clientId,
      keyId: row._id,
      ...(row.rootKeyId !== undefined && { rootKeyId: row.rootKeyId }),
      merchants,
    },
  };
}

/** Compares with every key, even after a match, so that the time taken reveals nothing. */
function ownerOf(digest: Buffer, nowMs: number): Choice {
  return (keys) => {
    let found: Principal | undefined;
    for (const key of keys) {
      const equal = timingSafeEqual(key.digest, digest);
      if (equal && key.expiresAtMs > nowMs) found = key.principal;
    }
    return found;
  };
}

/** Where a sign-in comes from, and as which client, as far as that is known. */
interface Origin {
  readonly clientId?: string;
  /** Empty or `undefined` when the connection is gone. */
  readonly address: string | undefined;
}

/** Chooses the principal among a client's keys. */
type Choice = (keys: readonly KnownKey[]) => Principal | undefined;

/**
 * Creates the check of client credentials. The reasons of a refusal are logged and never sent. A revoked key is refused within
 * `limits.principalCacheMs` in every process, an expired one at once. `authenticate` throws when the keys of the client have to be
 * read and MongoDB does not answer.
 */
export function createAuthenticator(deps: {
  clients: Pick<ClientRepository, 'findKeys'>;
  pepper: Uint8Array;
  environment: Environment;
  /** Absent: bearer tokens are not accepted. */
  accessTokens?: Pick<AccessTokens, 'verify'>;
  clock: Clock;
  log: Log;
}): Authenticator {
  const { clients, pepper, environment, accessTokens, clock, log } = deps;
  const cache = createReadCache<string, readonly KnownKey[]>({
    max: limits.principalsCached,
    ttlMs: limits.principalCacheMs,
    clock,
    async load(clientId) {
      const rows = await clients.findKeys(clientId);
      return rows.length > 0 ? rows.map(toKnownKey) : undefined;
    },
  });

  /** Logs a refusal with its origin: an operator who sees many has to know where they come from. */
  function refuse(reason: string, { clientId, address }: Origin): undefined {
    log.info('sign-in.refused', { reason, ...defined({ clientId, address: address || undefined }) });
    return undefined;
  }

  /**
   * Chooses among the cached keys first, then among newly read ones, so that a key works as soon as it is issued. With a wrong key,
   * known and unknown clients both take the second step, with one read each.
   * @param refused why a read would be pointless.
   */
  async function choose(
    origin: Origin & { readonly clientId: string },
    choice: Choice,
    refused?: () => string | undefined,
  ): Promise<Principal | undefined> {
    const { clientId } = origin;
    const remembered = choice(cache.peek(clientId) ?? noKeys);
    if (remembered) return remembered;
    // Only after the first look: a key that matches a cached one needs no check of its form.
    const reason = refused?.();
    if (reason !== undefined) return refuse(reason, origin);
    const fresh = choice((await cache.reload(clientId)) ?? noKeys);
    return fresh ?? refuse('the client has no such active key', origin);
  }

  /** Finds the principal of a bearer token, with the current rights of its key: revocation, expiry and grants of the key apply. */
  async function byToken(token: string, address: string | undefined): Promise<Principal | undefined> {
    const owner = await accessTokens?.verify(token);
    if (!owner) return refuse('the bearer token is not valid', { address });
    const nowMs = clock.now().getTime();
    return choose(
      { clientId: owner.clientId, address },
      (keys) =>
        keys.find(({ principal, expiresAtMs }) => principal.keyId === owner.keyId && expiresAtMs > nowMs)?.principal,
    );
  }

  return {
    async authenticate(header, address) {
      const token = bearerTokenOf(header);
      if (token !== undefined) return byToken(token, address);
      const basic = parseBasicHeader(header);
      if (basic.kind === 'absent') return undefined;
      if (basic.kind === 'malformed') return refuse(basic.reason, { address });
      const { userId: clientId, password: key } = basic;
      if (!isClientId(clientId)) return refuse('the user name is no client id', { address });
      return choose({ clientId, address }, ownerOf(digestApiKey(pepper, key), clock.now().getTime()), () =>
        isApiKeyOf(environment, key) ? undefined : 'the password is no API key of this environment',
      );
    },
  };
}
