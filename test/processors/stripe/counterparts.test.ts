/** The adapter against programs of others: the shape of requests at Stripe's own mock, a life cycle at localstripe. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { checkAnswers } from '../../../shared/processors/check-answers.js';
import type { Processor } from '../../../shared/processors/processor.js';
import { createStripeProcessor } from '../../../shared/processors/stripe/create-stripe-processor.js';
import {
  type Counterpart,
  describeWith,
  obtainLocalStripe,
  obtainStripeMock,
  startLocalStripe,
  startStripeMock,
} from '../../support/obtain-stripe-mock.js';
import { keepingLog } from '../keeping-log.js';
import { base, card, onto, request } from './stripe-requests.js';

interface Passed {
  readonly path: string;
  readonly status: number;
  readonly answer: string;
}

/** Forwards calls, records the answers, and lets `change` remove parameters that the counterpart does not know yet. */
async function recording(target: string, change: (form: URLSearchParams) => void) {
  const passed: Passed[] = [];
  const server = createServer((request, response) => {
    const forward = async () => {
      const form = new URLSearchParams(await text(request));
      change(form);
      const { method = 'GET', url = '', headers } = request;
      const answer = await fetch(target + url, {
        method,
        headers: {
          authorization: String(headers.authorization),
          ...(headers['idempotency-key'] && { 'idempotency-key': String(headers['idempotency-key']) }),
          ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(method === 'POST' && { body: form.toString() }),
      });
      const said = await answer.text();
      passed.push({ path: `${method} ${url.split('?')[0]}`, status: answer.status, answer: said });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(said);
    };
    forward().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const connect = (baseUrl: string): Processor =>
  checkAnswers(
    createStripeProcessor({ baseUrl, secretKey: 'sk_test_123', timeoutMs: 10_000, log: keepingLog() }),
    keepingLog(),
  );

const address = { line1: 'Av. 18 de Julio 1000', city: 'Montevideo', postalCode: '11100', country: 'UY' };

describeWith(obtainStripeMock(), 'stripe-mock', () => {
  let mock: Counterpart;
  beforeAll(async () => {
    mock = await startStripeMock();
  });
  afterAll(() => mock?.close());

  test('every call of the adapter has the shape of the published API', async () => {
    const proxy = await recording(mock.url, () => undefined);
    const adapter = connect(proxy.url);
    const stored = { initiator: 'merchant', use: 'subsequent', reason: 'recurring' } as const;
    const full = request({
      capture: false,
      order: {
        referenceId: 'order-7',
        invoiceNumber: 'INV-7',
        statementDescriptor: 'CASA LUMBRE',
        fields: { campaign: 'spring' },
      },
      payer: {
        firstName: 'Ana',
        email: 'ana@example.com',
        phone: '+59899000000',
        address,
        customerReference: 'c-3',
        shipping: { name: 'Ana', phone: '+59899000000', address },
      },
      money: { installments: 3 },
      credential: { source: 'token', card, stored },
      proof: {
        version: '2.2.0',
        authenticationValue: 'Q0FWVg==',
        dsTransactionId: 'ds-1',
        eci: '05',
        transStatus: 'Y',
      },
    });
    // The mock has no state: its answer is about another payment, which is no outcome.
    expect(await adapter.authorize(full)).toMatchObject({ kind: 'unknown' });
    const first = { initiator: 'payer', use: 'first', reason: 'unscheduled' } as const;
    await adapter.authorize(request({ credential: { source: 'card', card, stored: first } }));
    await adapter.inquire({ ...base, key: full.key, amountMinor: 1_050, operation: 'authorize', references: {} });
    const direct = createStripeProcessor({
      baseUrl: proxy.url,
      secretKey: 'sk_test_123',
      timeoutMs: 10_000,
      log: keepingLog(),
    });
    await direct.inquire({
      ...base,
      key: full.key,
      amountMinor: 1_050,
      operation: 'authorize',
      references: { processorReference: 'pi_1' },
    });
    const seen = new Set(proxy.passed.map(({ path }) => path));
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'POST /v1/payment_methods',
        'POST /v1/payment_intents',
        'GET /v1/payment_intents/search',
        'GET /v1/payment_intents/pi_1',
      ]),
    );
    expect(proxy.passed.filter(({ status }) => status !== 200)).toEqual([]);
    await Promise.all([adapter.close(), direct.close(), proxy.close()]);
  });

  test('captures, cancellations and refunds are sent when the answer of the mock has our key', async () => {
    for (const operation of ['capture', 'cancel', 'refund'] as const) {
      const sent = request();
      const proxy = await recording(mock.url, () => undefined);
      const server = createServer((incoming, response) => {
        const forward = async () => {
          const { method = 'GET', url = '', headers } = incoming;
          const body = await text(incoming);
          const type = { 'content-type': 'application/x-www-form-urlencoded' };
          const answer = await fetch(proxy.url + url, {
            method,
            headers: { authorization: String(headers.authorization), ...(method === 'POST' && type) },
            ...(method === 'POST' && { body }),
          });
          const json = {
            ...((await answer.json()) as object),
            ...(method === 'GET' && { id: 'pi_1', metadata: { gateway_key: sent.key } }),
          };
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
        };
        forward().catch(() => response.destroy());
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const adapter = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      await adapter[operation]?.(onto(sent, { originalReferences: { processorReference: 'pi_1' }, amountMinor: 500 }));
      const posted = proxy.passed.filter(({ path }) => path.startsWith('POST'));
      expect([operation, posted.map(({ status }) => status)]).toEqual([operation, [200]]);
      await adapter.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await proxy.close();
    }
  });

  test('the mock refuses a request of another shape', async () => {
    const proxy = await recording(
      mock.url,
      (form) => form.has('capture_method') && form.set('capture_method', 'later'),
    );
    const adapter = connect(proxy.url);
    expect(await adapter.authorize(request())).toMatchObject({
      kind: 'failed',
      resultMessage: expect.stringMatching(/refused by stripe/),
    });
    await Promise.all([adapter.close(), proxy.close()]);
  });
});

describeWith(obtainLocalStripe(), 'localstripe', () => {
  let local: Counterpart;
  let proxy: Awaited<ReturnType<typeof recording>>;
  let adapter: Processor;
  /** Parameters that are newer than localstripe. */
  const notThere =
    /^(error_on_requires_action|cancellation_reason|payment_details|statement_descriptor_suffix|setup_future_usage|metadata\[gateway_capture)/;
  beforeAll(async () => {
    local = await startLocalStripe();
    proxy = await recording(local.url, (form) => {
      for (const name of [...form.keys()]) if (notThere.test(name)) form.delete(name);
    });
    adapter = connect(proxy.url);
  });
  afterAll(async () => {
    await adapter?.close();
    await proxy?.close();
    await local?.close();
  });

  const hold = async () => {
    const sent = request({ capture: false });
    const held = await adapter.authorize(sent);
    if (held.kind !== 'approved') throw new Error(JSON.stringify([held, proxy.passed.at(-1)]));
    return { sent, id: held.processorReference ?? '' };
  };

  test('a hold is authorized, captured and refunded', async () => {
    const { sent, id } = await hold();
    expect(
      await adapter.capture?.(onto(sent, { originalReferences: { processorReference: id }, amountMinor: 1_050 })),
    ).toMatchObject({ kind: 'approved' });
    const refund = onto(sent, { originalReferences: { processorReference: id }, amountMinor: 300 });
    expect(await adapter.refund?.(refund)).toMatchObject({ kind: 'approved' });
    const asked = {
      ...base,
      key: sent.key,
      amountMinor: 1_050,
      operation: 'authorize',
      references: { processorReference: id },
    } as const;
    expect(await adapter.inquire(asked)).toMatchObject({ kind: 'found', outcome: { kind: 'approved' } });
  });

  test('a hold is cancelled only once, and cannot be captured afterwards', async () => {
    const { sent, id } = await hold();
    expect(
      await adapter.cancel?.(onto(sent, { originalReferences: { processorReference: id }, amountMinor: 1_050 })),
    ).toMatchObject({ kind: 'approved' });
    expect(
      await adapter.cancel?.(onto(sent, { originalReferences: { processorReference: id }, amountMinor: 1_050 })),
    ).toMatchObject({ kind: 'declined' });
    // localstripe answers this in a way of its own, which is no approval.
    expect(
      await adapter.capture?.(onto(sent, { originalReferences: { processorReference: id }, amountMinor: 1_050 })),
    ).not.toMatchObject({ kind: 'approved' });
  });

  test('a hold can be reversed, also a second time', async () => {
    const { sent, id } = await hold();
    const reversal = {
      ...base,
      key: `${sent.key}-reverse`,
      original: sent.key,
      originalReferences: { processorReference: id },
      amountMinor: 1_050,
    };
    expect(await adapter.reverse(reversal)).toMatchObject({ kind: 'reversed' });
    expect(await adapter.reverse(reversal)).toMatchObject({ kind: 'reversed' });
  });

  // Stripe forgets no id: it made this payment under another account.
  test('a payment with an id that is not known there stays open', async () => {
    const asked = {
      ...base,
      key: 'txn_none',
      amountMinor: 1,
      operation: 'authorize',
      references: { processorReference: 'pi_none' },
    } as const;
    expect(await adapter.inquire(asked)).toEqual({
      kind: 'no-answer',
      internal: expect.stringContaining('another account'),
    });
  });
});
