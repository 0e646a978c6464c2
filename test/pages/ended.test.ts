/** A checkout that is over: where its payer continues, at once or with the button of the page. */
import { ended, paid } from '../../api/pages/checkout/outcome-pages.js';
import { immediateRedirectUrl } from '../../api/pages/return-url.js';
import type { HostedSession } from '../../api/sessions/hosted-session.js';
import type { Session } from '../../shared/domain/session/session.js';
import { approvedPayment, start } from '../domain/payment/a-payment.js';

const defaultUrl = 'https://shop.example/thanks?lang=es';
const cancelUrl = 'https://shop.example/cart';
const externalId = '0'.repeat(32);

function endOf(status: string, redirects: object | undefined, more: { link?: object; triesLeft?: number } = {}) {
  const session = { _id: 'ses_1', referenceId: 'r-1', expiresAt: start, settings: { redirects } };
  const merchant = { id: 1001, name: 'Shop', embedOrigins: [] };
  const hosted = { status, session, merchant, triesLeft: 3, ...more } as unknown as HostedSession;
  const about = { language: 'en', payee: merchant, reference: 'r-1', description: '', items: undefined } as const;
  const answer = ended({ ...about, amount: undefined }, hosted);
  if (!answer) return undefined;
  if ('redirectTo' in answer) return { at: 'once', to: answer.redirectTo };
  const page = 'page' in answer ? answer.page({ testing: false, operator: 'Gateway' } as never) : '';
  const [, to] = /<a class="btn[^"]*" href="([^"]+)"/.exec(page) ?? [];
  return { at: 'page', to: to?.replaceAll('&amp;', '&') };
}
const query = (status: string) => `sessionId=ses_1&referenceId=r-1&status=${status}`;

test.each<[string, object | undefined, string, string | undefined]>([
  ['cancelled', { defaultUrl, cancelUrl }, 'once', `${cancelUrl}?${query('cancelled')}`],
  ['cancelled', { defaultUrl }, 'page', `${defaultUrl}&${query('cancelled')}`],
  ['cancelled', undefined, 'page', undefined],
  ['expired', { defaultUrl, cancelUrl }, 'page', `${cancelUrl}?${query('expired')}`],
  ['expired', { defaultUrl }, 'page', `${defaultUrl}&${query('expired')}`],
  ['completed', { defaultUrl, cancelUrl }, 'once', `${defaultUrl}&${query('completed')}`],
])('%s with %j leads on %s, to %s', (status, redirects, at, to) => {
  expect(endOf(status, redirects)).toEqual({ at, to });
});

test('a session without tries left has failed, and its page leads to the cancel URL', () => {
  const none = { triesLeft: 0 };
  expect(endOf('pending', { defaultUrl, cancelUrl }, none)).toEqual({
    at: 'page',
    to: `${cancelUrl}?${query('failed')}`,
  });
  expect(endOf('pending', { defaultUrl, cancelUrl })).toBeUndefined();
});

test('a payer of a link returns to the link', () => {
  expect(endOf('expired', undefined, { link: { externalId } })).toEqual({ at: 'page', to: `/links/${externalId}` });
});

test('after a payment only success leads on at once, unless the session has a receipt', () => {
  const session = (redirects: object) => ({ _id: 'ses_1', referenceId: 'r-1', settings: { redirects } }) as Session;
  const payment = { _id: 'pay_1', referenceId: 'order-1' } as never;
  const whole = session({ defaultUrl, cancelUrl });
  expect(immediateRedirectUrl(whole, { status: 'approved', payment })).toBe(
    `${defaultUrl}&sessionId=ses_1&referenceId=order-1&status=approved&paymentId=pay_1`,
  );
  expect(
    immediateRedirectUrl(session({ defaultUrl, cancelUrl, receipt: true }), { status: 'approved', payment }),
  ).toBeUndefined();
  for (const status of ['expired', 'failed']) expect(immediateRedirectUrl(whole, { status })).toBeUndefined();
});

test.each([
  [0, false],
  [250, true],
])('a payment of which %d was refunded says so: %s', (refundedMinor, says) => {
  const session = { _id: 'ses_1', referenceId: 'r-1', settings: {} };
  const payee = { id: 1001, name: 'Shop', embedOrigins: [] };
  const about = { language: 'en', payee, reference: 'r-1', description: '', items: undefined, amount: undefined };
  const answer = paid(about as never, { session } as never, { ...approvedPayment(), refundedMinor });
  const page = 'page' in answer ? answer.page({ testing: false, operator: 'Gateway' } as never) : '';
  expect([
    page.includes('Shop has received your payment.'),
    page.includes('The shop returned USD 2.50 to you.'),
  ]).toEqual([true, says]);
});
