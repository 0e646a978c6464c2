/** Test vectors of the ECv1/ECv2 scheme, and tokens with a flipped bit. */
import { isDeepStrictEqual } from 'node:util';
import type { WalletRefusal } from '../../shared/wallets/credential.js';
import { openWalletAToken } from '../../shared/wallets/wallet-a/open-token.js';
import { parseRecipientKeys, parseRootKeys } from '../../shared/wallets/wallet-a/trust.js';
import { everyBit, flipsTimeout } from './bit-flips.js';
import { type TokenFixture, walletA } from './fixtures.js';

const now = new Date('2026-11-21T00:00:00Z');
const open = (text: string) => openWalletAToken(text, walletA.trust, walletA.merchant, now);

/** The gateway's refusal for each reason of a fixture. */
const refusals: Record<string, WalletRefusal> = {
  message_expired: 'expired',
  decrypt_failed: 'unverifiable',
  signature_invalid: 'unverifiable',
  malformed: 'malformed',
  'policy:gateway_merchant_id_mismatch': 'wrong-merchant',
};

const byId = (id: string) => walletA.tokens.find((token) => token.id === id) as TokenFixture;
const accepted = walletA.tokens.filter(({ expected }) => expected.accept);
const rejected = walletA.tokens.filter(({ expected }) => expected.reason && expected.reason in refusals);

test('all fixtures are tested, the replayed one only for its unique id', () => {
  expect(accepted).toHaveLength(10);
  expect(rejected).toHaveLength(11);
  expect(walletA.tokens).toHaveLength(22);
});

test.each(accepted)('$id is opened: $note', ({ token, expected }) => {
  const payload = expected.payload as { messageId: string; paymentMethodDetails: Record<string, unknown> };
  const details = payload.paymentMethodDetails;
  const result = open(token);
  expect(result).toEqual({
    kind: 'opened',
    credential: {
      number: details['pan'],
      expMonth: details['expirationMonth'],
      expYear: details['expirationYear'],
      uniqueId: payload.messageId,
      ...(details['authMethod'] === 'PAN_ONLY'
        ? { kind: 'pan-only' }
        : {
            kind: 'cryptogram',
            cryptogram: details['cryptogram'],
            ...(details['eciIndicator'] ? { eci: details['eciIndicator'] } : {}),
          }),
    },
  });
});

test.each(rejected)('$id is refused: $note', ({ token, expected }) => {
  expect(open(token)).toEqual({ kind: 'refused', reason: refusals[expected.reason as string] });
});

test('a message sent twice carries the same unique id', () => {
  const ids = ['ecv2-01', 'ecv2-21'].map((id) => {
    const result = open(byId(id).token);
    return result.kind === 'opened' ? result.credential.uniqueId : undefined;
  });
  expect(ids[0]).toBeDefined();
  expect(ids[1]).toBe(ids[0]);
});

test.each(['ecv1-01', 'ecv2-05'])(
  'a bit flipped anywhere in %s is refused',
  (id) => {
    const { token } = byId(id);
    const bytes = Buffer.from(token, 'utf8');
    // The first signature of ecv2-05 is by an unknown root and is ignored, so its bits may change.
    const [, unknown = ''] = (id === 'ecv2-05' && /"signatures":\["([^"]+)"/.exec(token)) || [];
    const from = unknown === '' ? bytes.length : bytes.indexOf(unknown);
    const opened: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      for (const bit of everyBit ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8]) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] as number) ^ (1 << bit);
        const text = changed.toString('utf8');
        // An escape may have capitals: `\\u003D` is the same character, and the token is the same.
        if (open(text).kind === 'opened' && !isDeepStrictEqual(JSON.parse(text), JSON.parse(token))) opened.push(at);
      }
    }
    expect(open(token).kind).toBe('opened');
    expect(opened.filter((at) => at < from || at >= from + unknown.length)).toEqual([]);
  },
  flipsTimeout,
);

test.each([
  '',
  '{}',
  'null',
  '[]',
  '"x"',
  '{"protocolVersion":"ECv2"}',
  '{"protocolVersion":"ECv3","signature":"","signedMessage":""}',
])('%j is malformed', (text) => {
  expect(open(text)).toEqual({ kind: 'refused', reason: 'malformed' });
});

test('a token with an additional member is malformed', () => {
  const token = JSON.parse(byId('ecv1-01').token);
  expect(open(JSON.stringify({ ...token, more: 1 }))).toEqual({ kind: 'refused', reason: 'malformed' });
});

test('another gateway name, another merchant and expired roots are refused', () => {
  const { token } = byId('ecv2-01');
  const other = openWalletAToken(token, { ...walletA.trust, gatewayName: 'other' }, walletA.merchant, now);
  expect(other).toEqual({ kind: 'refused', reason: 'unverifiable' });
  expect(openWalletAToken(token, walletA.trust, '1002', now)).toEqual({ kind: 'refused', reason: 'wrong-merchant' });
  const late = new Date('2041-01-01');
  expect(openWalletAToken(token, walletA.trust, walletA.merchant, late).kind).toBe('refused');
});

test('files without keys are refused with a reason that does not quote them', () => {
  expect(() => parseRootKeys('x')).toThrow(/root key set/);
  expect(() => parseRootKeys('{"keys":[{"keyValue":"AAAA"}]}')).toThrow('no usable root key');
  expect(() => parseRecipientKeys('["c2VjcmV0"]')).toThrow('key 1 is no EC P-256 key in base64 PKCS#8');
});
