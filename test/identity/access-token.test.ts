import { hkdfSync, randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import { bearerTokenOf, createAccessTokens } from '../../api/identity/access-token.js';
import { limits } from '../../config/limits.js';

const clock = { ms: Date.UTC(2027, 0, 1), now: () => new Date(clock.ms) };
const apiKeyPepper = randomBytes(32);
const config = { environment: 'testing', apiKeyPepper } as const;
const owner = { clientId: 'cli_1', keyId: 'key_1' };
const tokens = createAccessTokens(config, clock);

test('a token names its client and key, for an hour', async () => {
  const token = await tokens.issue(owner);
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'at+jwt' });
  expect(await tokens.verify(token)).toEqual(owner);
  expect(await createAccessTokens(config, clock).verify(token)).toEqual(owner);
  const issuedAt = clock.ms;
  clock.ms += limits.accessTokenSeconds * 1000 - 1000;
  expect(await tokens.verify(token)).toEqual(owner);
  clock.ms += 1000;
  expect(await tokens.verify(token)).toBeUndefined();
  clock.ms = issuedAt;
});

test('a token is valid at once in a process whose clock is behind', async () => {
  const behind = { now: () => new Date(clock.ms - 2_000) };
  expect(await createAccessTokens(config, behind).verify(await tokens.issue(owner))).toEqual(owner);
});

test('two tokens are never equal, and a token contains only ids and times', async () => {
  const [first, second] = [await tokens.issue(owner), await tokens.issue(owner)];
  expect(first).not.toBe(second);
  expect(Object.keys(decodeJwt(first)).sort()).toEqual(
    ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'key_id', 'sub'].sort(),
  );
});

test('the signing key is its own setting if that is set, else derived from the pepper but not equal to it', async () => {
  const token = await tokens.issue(owner);
  const own = createAccessTokens({ ...config, accessTokenKey: randomBytes(32) }, clock);
  expect(await own.verify(token)).toBeUndefined();
  expect(await own.verify(await own.issue(owner))).toEqual(owner);
  const claims = decodeJwt(token);
  const byPepper = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).sign(apiKeyPepper);
  expect(await tokens.verify(byPepper)).toBeUndefined();
});

describe('a token is refused', () => {
  const signed = async (change: (claims: Record<string, unknown>) => void, header: object = {}, key?: Uint8Array) => {
    const token = await tokens.issue(owner);
    const claims = decodeJwt(token) as Record<string, unknown>;
    change(claims);
    // The real key by the same derivation, so that only the change is wrong.
    const real = new Uint8Array(hkdfSync('sha256', apiKeyPepper, '', 'payment-gateway access token HS256', 32));
    return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', ...header }).sign(key ?? real);
  };

  test('but not without a change, as a control', async () => {
    expect(await tokens.verify(await signed(() => {}))).toEqual(owner);
  });

  test.each<[string, () => Promise<string> | string]>([
    [
      'alg none',
      () => new UnsecuredJWT({ ...owner, client_id: 'cli_1', key_id: 'key_1' }).setExpirationTime('1h').encode(),
    ],
    ['another key', () => signed(() => {}, {}, randomBytes(32))],
    ['another algorithm of the same key', () => signed(() => {}, { alg: 'HS512' }, undefined)],
    ['another type', () => signed(() => {}, { typ: 'JWT' })],
    ['another issuer', () => signed((claims) => Object.assign(claims, { iss: 'somebody' }))],
    ['the other environment', () => createAccessTokens({ ...config, environment: 'production' }, clock).issue(owner)],
    ['no expiry', () => signed((claims) => delete claims['exp'])],
    ['an expiry far away', () => signed((claims) => Object.assign(claims, { iat: 1, exp: 9_999_999_999 }))],
    ['not valid yet', () => signed((claims) => Object.assign(claims, { nbf: clock.ms / 1000 + 60 }))],
    ['no client', () => signed((claims) => delete claims['client_id'])],
    ['a client that is no text', () => signed((claims) => Object.assign(claims, { client_id: { $ne: null } }))],
    ['no key', () => signed((claims) => delete claims['key_id'])],
    ['rubbish', () => 'a.b.c'],
    ['nothing', () => ''],
    ['too long', () => 'a'.repeat(limits.accessTokenBytesMax + 1)],
  ])('with %s', async (_name, make) => {
    expect(await tokens.verify(await make())).toBeUndefined();
  });

  test('with any single changed character', async () => {
    const token = await tokens.issue(owner);
    for (let at = 0; at < token.length - 1; at++) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      expect([at, await tokens.verify(changed)]).toEqual([at, undefined]);
    }
  });
});

test.each([
  ['Bearer abc.def', 'abc.def'],
  ['bearer  abc', 'abc'],
  ['Bearer', undefined],
  ['Bearer a b', undefined],
  ['Bearer a,b', undefined],
  ['Basic abc', undefined],
  [undefined, undefined],
])('the header %j contains the token %j', (header, token) => {
  expect(bearerTokenOf(header)).toBe(token);
});
