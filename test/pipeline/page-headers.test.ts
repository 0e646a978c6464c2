/** Headers of the pages for payers, digests of the files they load, and reports of browsers (docs/security.md#integrity-of-pages). */
import { createHash } from 'node:crypto';
import { startGateway, type TestGateway } from '../support/gateway.js';

const BYTES_MAX = 4 * 1024;

let gateway: TestGateway;
let address: string;
let cookie: string;

beforeAll(async () => {
  gateway = await startGateway({ name: 'pageheaders' });
  await gateway.database.connection
    .collection('merchants')
    .updateOne({ _id: 1001 as never }, { $set: { pageColor: 'b4451f' } });
  const { body } = await gateway.call('POST', '/v1/sessions', {
    merchantId: 1001,
    referenceId: 'session-headers',
    type: 'checkout',
    paymentRequest: { referenceId: 'order-headers', invoiceNumber: 'A-1', amount: { total: 1, currency: 'USD' } },
  });
  const { pathname, search } = new URL(body.actions[0].href);
  const entered = await fetch(`${gateway.baseUrl}${pathname}${search}`, { redirect: 'manual' });
  cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  address = `${gateway.baseUrl}${pathname}`;
});
afterAll(() => gateway?.close());

test('a card page isolates its window, disables browser features, and names where to report', async () => {
  const { headers } = await fetch(address, { headers: { cookie } });
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('permissions-policy')).toMatch(/camera=\(\),.* payment=\(\)$/);
  expect(headers.get('reporting-endpoints')).toBe('pages="/reports"');
  expect(headers.get('content-security-policy')).toMatch(/; report-uri \/reports; report-to pages$/);
});

test('every script and style sheet carries the digest of its bytes', async () => {
  const page = await (await fetch(address, { headers: { cookie } })).text();
  const loaded = [...page.matchAll(/<(?:script|link rel="stylesheet")[^>]*(?:src|href)="([^"]+)"[^>]*>/g)];
  expect(loaded.map(([, path]) => path?.split('/').at(-1))).toEqual([
    'pages.css',
    'b4451f.css',
    'offline.js',
    'browser-fields.js',
    'card-form.js',
  ]);
  for (const [tag, path] of loaded) {
    const bytes = Buffer.from(await (await fetch(`${gateway.baseUrl}${path}`)).arrayBuffer());
    expect(tag).toContain(`integrity="sha384-${createHash('sha384').update(bytes).digest('base64')}"`);
  }
});

describe('reports of browsers', () => {
  const report = (type: string, body: string) =>
    fetch(`${gateway.baseUrl}/reports`, { method: 'POST', headers: { 'content-type': type }, body });
  const counted = async () =>
    Number(/event="page-policy-violated"[^}]*\} (\d+)/.exec(await gateway.metrics.text())?.[1] ?? 0);

  test.each([
    ['application/csp-report', '{"csp-report":{"violated-directive":"script-src"}}', 1],
    ['application/reports+json', '[{"type":"csp-violation"},{"type":"csp-violation"}]', 1],
    ['application/reports+json', '[]', 0],
    ['application/reports+json', 'no JSON', 0],
    ['application/csp-report', '7', 0],
  ])('%s %s counts %d', async (type, body, count) => {
    const before = await counted();
    const { status, headers } = await report(type, body);
    expect([status, headers.get('content-length')]).toEqual([204, null]);
    expect((await counted()) - before).toBe(count);
  });

  test('a report of another type or too long, and a GET, are refused and not counted', async () => {
    const before = await counted();
    const refused = [
      await report('text/plain', '{"csp-report":{}}'),
      await report('application/csp-report', `{"csp-report":"${'x'.repeat(BYTES_MAX)}"}`),
      await fetch(`${gateway.baseUrl}/reports`),
    ];
    expect(refused.map(({ status }) => status)).toEqual([415, 413, 404]);
    expect(await counted()).toBe(before);
  });
});
