/** Which sites may frame the embedded page, and which one gets its messages. */
import { framingOf } from '../../api/pages/tokenization/framing.js';
import type { HostedSession } from '../../api/sessions/hosted-session.js';

const SHOP = 'https://shop.example';
const COUNTER = 'https://counter.example:8443';
const LOCAL = 'http://localhost:3000';

const hosted = (redirects: object | undefined, embedOrigins: readonly string[] = []) =>
  ({ session: { settings: { redirects } }, merchant: { embedOrigins } }) as unknown as HostedSession;
const returns = { defaultUrl: `${SHOP}/saved?a=1`, cancelUrl: `${COUNTER}/cart` };

test.each<[string, HostedSession, string[]]>([
  ['where payers return to', hosted(returns), [SHOP, COUNTER]],
  ['where payers return to when they cancel alone', hosted({ cancelUrl: returns.cancelUrl }), [COUNTER]],
  ['what the operator set for the merchant', hosted(undefined, [COUNTER, SHOP]), [COUNTER, SHOP]],
  ['both, each once', hosted(returns, [SHOP, 'https://b.example']), [SHOP, COUNTER, 'https://b.example']],
])('the origins of %s may frame the page', (_name, session, ancestors) => {
  for (const environment of ['testing', 'production'] as const) {
    expect(framingOf(session, environment, undefined)).toEqual({ origin: ancestors[0], ancestors });
    for (const origin of ancestors) expect(framingOf(session, environment, origin)).toEqual({ origin, ancestors });
    expect(framingOf(session, environment, 'https://evil.example')).toEqual({ origin: ancestors[0], ancestors });
  }
});

test('no site may frame the page if no origin is known', () => {
  for (const from of [undefined, SHOP, 'http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'null']) {
    expect(framingOf(hosted(undefined), 'testing', from)).toBeUndefined();
  }
});

test.each([LOCAL, 'https://localhost', 'http://127.0.0.1:8080', 'http://[::1]:5173'])(
  'a page of this machine, %s, may frame the page in testing, but not in production',
  (from) => {
    expect(framingOf(hosted(undefined), 'testing', from)).toEqual({ origin: from, ancestors: [from] });
    expect(framingOf(hosted(undefined), 'production', from)).toBeUndefined();
    expect(framingOf(hosted(returns), 'production', from)).toEqual({ origin: SHOP, ancestors: [SHOP, COUNTER] });
  },
);
