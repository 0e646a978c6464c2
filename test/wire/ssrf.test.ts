/**
 * Every URL field of the API refuses targets that a callback must never reach (docs/security.md#callback-targets). Fields that only a
 * browser follows have syntax rules alone.
 */
import { acceptedTargets, refusedTargets } from '../outbound/callback-targets.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { withoutLimits } from './wire-client.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    name: 'ssrf',
    pools: [],
    settings: { ...withoutLimits, CALLBACK_ALLOW_PRIVATE_NETWORKS: 'false', RESPONSE_WAIT_MS: '100' },
  });
});
afterAll(() => gateway?.close());

/** Whether a testing installation accepts the target, because it allows plain http. */
const httpOnly = (target: string) => target.startsWith('http://') && !/^http:\/\/(127|10|localhost)/.test(target);

test.each(refusedTargets.filter((target) => !httpOnly(target)))(
  'callbackUrl %s is refused by name',
  async (callbackUrl) => {
    const { status, body } = await gateway.call('POST', '/v1/payments', paymentBody({ callbackUrl }));
    expect({ status, fields: Object.keys(body.params ?? {}) }).toEqual({ status: 400, fields: ['callbackUrl'] });
    expect(JSON.stringify(body)).not.toContain(callbackUrl);
  },
);

test('none of these requests stored a payment, and one with a public target is stored', async () => {
  expect(await gateway.payments.collection.countDocuments({})).toBe(0);
  const { body } = await gateway.call('POST', '/v1/payments', paymentBody({ callbackUrl: acceptedTargets[0] }));
  const stored = await gateway.payments.collection.find({}).toArray();
  expect(stored.map(({ _id, callbackUrl }) => [_id, callbackUrl])).toEqual([[body.id, acceptedTargets[0]]]);
});

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  '//example.com/',
  'https://user:pass@example.com/',
  'https://example.com\\@127.0.0.1/',
])('redirectUrl %s is refused by name', async (redirectUrl) => {
  const { status, body } = await gateway.call('POST', '/v1/payments', paymentBody({ redirectUrl }));
  expect({ status, fields: Object.keys(body.params ?? {}) }).toEqual({ status: 400, fields: ['redirectUrl'] });
});

test('public targets are accepted', async () => {
  for (const callbackUrl of acceptedTargets) {
    const { status, body } = await gateway.call('POST', '/v1/payments', paymentBody({ callbackUrl }));
    expect([callbackUrl, status, body.params]).toEqual([callbackUrl, 200, undefined]);
  }
});
