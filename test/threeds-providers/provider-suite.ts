/**
 * What every 3DS provider's adapter must do, tested against a peer that speaks its protocol: it never throws for what the other side does,
 * it names each end by the words of the port, and nothing but a whole answer about this very session is a proof.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { limits } from '../../config/limits.js';
import type {
  AuthenticationRequest,
  ChallengeWanted,
  ResultRequest,
  ThreeDsProvider,
} from '../../shared/threeds-providers/provider.js';
import { closedAddress, type Peer, startPeer, startTamperingPeer } from '../conformance/http-peers.js';
import { answerIssuerPage } from './issuer-page.js';

export interface ProviderHarness {
  /** Where the peer is. */
  readonly address: string;
  /** Makes the adapter for an address; the suite closes it. */
  connect(address: string, timeoutMs: number): ThreeDsProvider;
  /** Cards by what their issuer answers; a missing one is not to be had at the peer. */
  readonly cards: Readonly<Record<'Y' | 'challenge', string>> &
    Readonly<Partial<Record<'A' | 'N' | 'R' | 'U' | 'error' | 'method' | 'noMethod', string>>>;
  readonly metadata: Readonly<Record<string, string>>;
  /** The paths that carry answers about an authentication, in the peer's wire. */
  readonly isProofPath: (url: string) => boolean;
  /** Whether this JSON is a whole proof by the rules of the wire, and of the session of `original`, which the peer sent. */
  isWholeProof(json: unknown, original: Readonly<Record<string, string>>): boolean;
  close(): Promise<void>;
}

const TIMEOUT_MS = 5_000;
const SHORT_TIMEOUT_MS = 150;

const browser = {
  ipAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
  acceptHeader: '*/*',
  language: 'es',
  javaEnabled: false,
  colorDepth: 24,
  screenHeight: 1080,
  screenWidth: 1920,
  timeZoneOffset: 180,
};

const challengeOf = (request: AuthenticationRequest, answer: ChallengeWanted): ResultRequest => ({
  sessionId: request.sessionId,
  amountMinor: request.amountMinor,
  currency: request.currency,
  traceId: request.traceId,
  version: answer.version,
  dsTransactionId: answer.dsTransactionId,
  acsTransactionId: answer.acsTransactionId,
  ...(answer.reference !== undefined && { reference: answer.reference }),
});

export function providerSuite(name: string, start: () => Promise<ProviderHarness>): void {
  let harness: ProviderHarness;
  let provider: ThreeDsProvider;
  const open: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    harness = await start();
    provider = harness.connect(harness.address, TIMEOUT_MS);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  afterAll(async () => {
    await provider?.close();
    await harness?.close();
  });

  const requestFor = (number: string, more: Partial<AuthenticationRequest> = {}): AuthenticationRequest => ({
    sessionId: randomUUID(),
    amountMinor: 12_205,
    currency: 'USD',
    traceId: 'trace-provider',
    card: { number, expMonth: 3, expYear: 2034, holderName: 'Ana Pérez' },
    merchantId: 1001,
    merchantName: 'Casa Lumbre',
    metadata: harness.metadata,
    browser,
    payer: {},
    purchasedAt: new Date('2026-11-20T12:00:00Z'),
    methodCompletion: 'U',
    returnUrl: 'https://gateway.example/threeds/return/x',
    ...more,
  });
  async function peer(made: Promise<Peer>): Promise<Peer> {
    const one = await made;
    open.push(one);
    return one;
  }
  function adapter(address: string, timeoutMs = TIMEOUT_MS): ThreeDsProvider {
    const one = harness.connect(address, timeoutMs);
    open.push(one);
    return one;
  }
  /** A challenge that the payer is at. */
  async function challenged(): Promise<{ request: AuthenticationRequest; answer: ChallengeWanted }> {
    const request = requestFor(harness.cards.challenge);
    const answer = await provider.authenticate(request);
    if (answer.kind !== 'challenge') throw new Error(`no challenge: ${JSON.stringify(answer)}`);
    return { request, answer };
  }

  describe(`the provider ${name}`, () => {
    test.each([
      ['Y', { kind: 'authenticated', transStatus: 'Y', eci: '05' }],
      ['A', { kind: 'authenticated', transStatus: 'A', eci: '06' }],
      ['N', { kind: 'not-authenticated', transStatus: 'N' }],
      ['R', { kind: 'not-authenticated', transStatus: 'R' }],
      ['U', { kind: 'impossible' }],
    ] as const)('names an issuer that answers %s', async (status, expected) => {
      const number = harness.cards[status];
      if (number === undefined) return;
      const answer = await provider.authenticate(requestFor(number));
      expect(answer).toMatchObject(expected);
      if (answer.kind === 'authenticated') expect(answer.authenticationValue).toMatch(/^[\w+/]{27}=$/);
    });

    test('an error message is no proof, and does not throw', async () => {
      const answer = await provider.authenticate(requestFor(harness.cards.error ?? ''));
      expect(['impossible', 'no-answer']).toContain(answer.kind);
    });

    test('says whether the issuer looks at the browser', async () => {
      const { method, noMethod } = harness.cards;
      if (method === undefined || noMethod === undefined) return;
      const asked = { sessionId: randomUUID(), traceId: 't' };
      expect(await provider.findMethod({ ...asked, card: { number: method } })).toMatchObject({
        kind: 'method',
        url: expect.stringMatching(/^https?:/),
      });
      expect(await provider.findMethod({ ...asked, card: { number: noMethod } })).toMatchObject({ kind: 'no-method' });
    });

    test('what was prepared for the method is used for the authentication', async () => {
      const { method = '' } = harness.cards;
      const request = requestFor(method, { methodCompletion: 'Y' });
      const found = await provider.findMethod(request);
      if (found.kind !== 'method') throw new Error(found.kind);
      const prepared = found.prepared && { prepared: found.prepared };
      const answer = await provider.authenticate({ ...request, ...prepared });
      expect(['authenticated', 'challenge']).toContain(answer.kind);
      // A second time, as after a crash in between: an answer again.
      expect((await provider.authenticate({ ...request, ...prepared })).kind).toBe(answer.kind);
    });

    test.each([
      ['approve', { kind: 'authenticated', transStatus: 'Y', eci: '05' }],
      ['fail', { kind: 'not-authenticated', transStatus: 'N' }],
      ['cancel', { kind: 'not-authenticated', transStatus: 'N', cancelled: true }],
      ['abandon', { kind: 'not-authenticated', transStatus: 'N' }],
    ] as const)('a challenge is open until the payer answers it by %s', async (choice, expected) => {
      const { request, answer } = await challenged();
      const asked = challengeOf(request, answer);
      expect(await provider.result(asked)).toEqual({ kind: 'open' });
      await answerIssuerPage(answer, request.sessionId, choice);
      const result = await provider.result(asked);
      expect(result).toMatchObject(expected);
      expect(await provider.result(asked)).toEqual(result);
    });

    test('the result of one challenge is none of another', async () => {
      const [one, other] = [await challenged(), await challenged()];
      await answerIssuerPage(one.answer, one.request.sessionId, 'approve');
      const mixed = { ...challengeOf(one.request, one.answer), sessionId: other.request.sessionId };
      const { reference } = other.answer;
      const asked = reference === undefined ? mixed : { ...mixed, reference };
      expect((await provider.result(asked)).kind).not.toBe('authenticated');
    });

    const ways = [
      ['findMethod', (to: ThreeDsProvider) => to.findMethod(requestFor(harness.cards.Y))],
      ['authenticate', (to: ThreeDsProvider) => to.authenticate(requestFor(harness.cards.Y))],
      [
        'result',
        (to: ThreeDsProvider) =>
          to.result({
            ...requestFor(harness.cards.Y),
            reference: randomUUID(),
            version: '2.2.0',
            dsTransactionId: randomUUID(),
            acsTransactionId: randomUUID(),
          }),
      ],
    ] as const;

    describe.each(ways)('%s', (_name, call) => {
      test('nothing listens, nothing comes, or the line is cut: no answer', async () => {
        expect(await call(adapter(closedAddress))).toMatchObject({ kind: 'no-answer' });
        const silent = await peer(startPeer(() => undefined));
        expect(await call(adapter(silent.url, SHORT_TIMEOUT_MS))).toMatchObject({ kind: 'no-answer' });
        const cut = await peer(startPeer((request) => void request.socket.destroy()));
        expect(await call(adapter(cut.url))).toMatchObject({ kind: 'no-answer' });
      });

      test.each(['', '<html>', 'null', '[]', '"Y"', '7', '{}', '{"messageType":"ARes","transStatus":"Y"}', '{"a":'])(
        'an answer of %s is none',
        async (text) => {
          const odd = await peer(
            startPeer(
              (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(text),
            ),
          );
          expect(await call(adapter(odd.url))).toMatchObject({ kind: 'no-answer' });
        },
      );

      test('an answer without end is given up', async () => {
        const endless = await peer(
          startPeer((_request, response) => {
            response.writeHead(200, { 'content-type': 'application/json' });
            response.write('{"messageType":"');
            const chunk = 'x'.repeat(limits.emv3dsResponseBytesMax / 4);
            const timer = setInterval(() => response.write(chunk), 1);
            response.once('close', () => clearInterval(timer));
          }),
        );
        expect(await call(adapter(endless.url))).toMatchObject({ kind: 'no-answer' });
      });
    });

    test.each([400, 401, 403, 500, 503])('a proof with status %i is none', async (status) => {
      const { request, answer } = await challenged();
      await answerIssuerPage(answer, request.sessionId, 'approve');
      const failing = adapter((await peer(startTamperingPeer(harness.address, (text) => text, status))).url);
      expect(await failing.result(challengeOf(request, answer))).toMatchObject({ kind: 'no-answer' });
      expect(await failing.authenticate(requestFor(harness.cards.Y))).toMatchObject({ kind: 'no-answer' });
      expect(await failing.findMethod(requestFor(harness.cards.Y))).toMatchObject({ kind: 'no-answer' });
    });

    test('nothing that is not a whole proof becomes one, however an answer is changed', async () => {
      let change: (text: string) => string = (text) => text;
      let changed: { before: string; after: string } = { before: '', after: '' };
      const proxy = await peer(
        startPeer((from, to) => {
          const chunks: Buffer[] = [];
          from.on('data', (chunk: Buffer) => chunks.push(chunk));
          from.on('end', async () => {
            const {
              'content-type': _type,
              'content-length': _length,
              host: _host,
              connection: _open,
              ...rest
            } = from.headers;
            const answer = await fetch(harness.address + (from.url ?? ''), {
              method: from.method ?? 'POST',
              headers: { ...(rest as Record<string, string>), 'content-type': 'application/json' },
              ...(from.method === 'POST' && { body: Buffer.concat(chunks) }),
            });
            const before = await answer.text();
            const after = harness.isProofPath(from.url ?? '') ? change(before) : before;
            if (harness.isProofPath(from.url ?? '')) changed = { before, after };
            to.writeHead(answer.status, { 'content-type': 'application/json' }).end(after);
          });
        }),
      );
      const through = adapter(proxy.url);
      const { request, answer } = await challenged();
      await answerIssuerPage(answer, request.sessionId, 'approve');
      const asked = challengeOf(request, answer);
      const proofs = { kept: 0, refused: 0 };
      async function judge(call: () => Promise<{ readonly kind: string }>): Promise<void> {
        const { kind } = await call();
        const before = JSON.parse(changed.before) as Record<string, string>;
        let after: unknown;
        try {
          after = JSON.parse(changed.after);
        } catch {
          after = undefined;
        }
        const whole = harness.isWholeProof(after, before);
        if (kind === 'authenticated') {
          proofs.kept += 1;
          if (!whole) throw new Error(`a proof was made of ${changed.after}`);
        } else proofs.refused += 1;
      }
      await fc.assert(
        fc.asyncProperty(mutation(), fc.boolean(), async (mutate, ofResult) => {
          change = mutate;
          await judge(() => (ofResult ? through.result(asked) : through.authenticate(requestFor(harness.cards.Y))));
        }),
        { numRuns: 600 },
      );
      expect(proofs.refused).toBeGreaterThan(100);
      expect(proofs.kept).toBeGreaterThan(10);
    });
  });
}

type Json = Record<string, unknown>;

/** Changes of the text of an answer: of a byte, of a field, of the whole. */
function mutation(): fc.Arbitrary<(text: string) => string> {
  const onJson = (act: (json: Json, keys: string[]) => unknown) => (text: string) => {
    const json = JSON.parse(text) as Json;
    return JSON.stringify(act(json, Object.keys(json)));
  };
  const value = fc.oneof(
    fc.constantFrom('Y', 'A', 'N', 'X', '', 'ARes', 'RReq', '2.1.0', '2.3.1', '05', '5', '999', null, true, 0, 7),
    fc.uuid(),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const pick = (keys: string[], at: number) => keys[at % keys.length] ?? '';
  return fc.oneof(
    fc.nat().map((at) => onJson((json, keys) => ({ ...json, [pick(keys, at)]: undefined }))),
    fc.tuple(fc.nat(), value).map(([at, next]) => onJson((json, keys) => ({ ...json, [pick(keys, at)]: next }))),
    fc
      .tuple(fc.nat(), fc.nat())
      .map(([one, other]) => onJson((json, keys) => ({ ...json, [pick(keys, one)]: json[pick(keys, other)] }))),
    fc.nat().map((at) => onJson((json, keys) => ({ ...json, [pick(keys, at)]: [json[pick(keys, at)]] }))),
    fc.tuple(fc.nat(), fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 })).map(
      ([at, byte]) =>
        (text: string) =>
          text.slice(0, at % text.length) + byte + text.slice((at % text.length) + 1),
    ),
    fc.nat().map((at) => (text: string) => text.slice(0, at % text.length)),
    fc.constant((text: string) => `[${text}]`),
    fc.constant(onJson((json) => ({ ...json, harmless: 'x' }))),
  );
}
