/**
 * Payments paid within 50 ms before or after the end of their code are approved or expired, never both, and all money is recorded.
 * 100 payments; `TRANSFER_RACES=1000` is the long form.
 */
import { receiveCallbacks } from '../support/callback-receiver.js';
import { type Answer, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

const RACES = Number(process.env.TRANSFER_RACES ?? '100');
const AT_ONCE = 25;
/** Time between the ends of two batches (ms): a batch is over before the next one, and does not wait for another batch to start. */
const APART_MS = 2_000;
const AROUND_MS = 50;
let gateway: TestGateway;
let receiver: Awaited<ReturnType<typeof receiveCallbacks>>;

beforeAll(async () => {
  receiver = await receiveCallbacks();
  // A code is valid for 6 s. Two instances of the qr pool check each payment, as in two processes: the first one decides.
  gateway = await startGateway({
    name: 'race',
    settings: { TIME_SCALE: '150', RESPONSE_WAIT_MS: '60000' },
    pools: [...POOLS],
  });
});
afterAll(async () => {
  await gateway?.close();
  await receiver?.close();
});

const POOLS = ['qr', 'qr', 'processor', 'expiry', 'callback'] as const;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
const FINAL = ['approved', 'expired'];

interface Raced {
  readonly id: string;
  readonly key: string;
  readonly expiresAt: string;
}

/** Makes a payment with a code. Repeats that on a machine so slow that the code expires before it is seen. */
async function withCode(): Promise<Answer['body']> {
  for (;;) {
    const { body } = await gateway.call(
      'POST',
      '/v1/payments',
      paymentBody({
        flow: 'pos',
        paymentMethod: { source: 'bank-transfer', id: 'instant-transfer' },
        callbackUrl: receiver.url,
      }),
    );
    if (body.code && Date.parse(body.expiresAt) > Date.now() + AROUND_MS) return body;
  }
}

/** Makes a payment and pays it at a random moment around the end of its code, or around a moment `earlierMs` before the end. */
async function race(earlierMs: number): Promise<Raced> {
  const body = await withCode();
  await pause(Date.parse(body.expiresAt) - Date.now() - earlierMs + (Math.random() * 2 - 1) * AROUND_MS);
  await fetch(body.code.url, { method: 'POST', body: new URLSearchParams({ choice: 'pay' }) });
  return { id: body.id, key: body.transactions[0].id, expiresAt: body.expiresAt };
}

async function settled({ id }: Raced) {
  for (;;) {
    const payment = await gateway.payments.findById(id);
    const surplus = payment?.transactions.some(({ flagged }) => flagged !== undefined);
    if (payment && (payment.status === 'approved' || (payment.status === 'expired' && surplus))) return payment;
    await pause(50);
  }
}

/** Checks that each payment ended only once, by when its payer paid. Returns how many were approved and how many expired. */
async function checkOutcomes(raced: readonly Raced[]): Promise<{ approved: number; expired: number }> {
  const ends = await Promise.all(raced.map(settled));
  const ledger = await gateway.ledger();
  const count = { approved: 0, expired: 0 };
  for (const [index, payment] of ends.entries()) {
    const { key, expiresAt } = raced[index] as Raced;
    const transfers = ledger.filter(({ kind, original }) => kind === 'transfer' && original === key);
    expect(transfers).toHaveLength(1);
    const inTime = (transfers[0]?.at ?? '') <= expiresAt;
    const own = { status: inTime ? 'approved' : 'expired', captured: inTime ? payment.amount.totalMinor : 0 };
    expect({ status: payment.status, captured: payment.capturedMinor }).toEqual(own);
    expect(payment.transactions.map(({ status, reason }) => reason ?? status)).toEqual(
      inTime ? ['approved'] : ['expired', 'paid-after-expiry'],
    );
    expect(payment.events.filter(({ status, passed }) => FINAL.includes(status) && !passed).length).toBeGreaterThan(0);
    expect(new Set(payment.events.map(({ status }) => status).filter((status) => FINAL.includes(status))).size).toBe(1);
    count[inTime ? 'approved' : 'expired'] += 1;
  }
  return count;
}

test(
  `${RACES} payments paid around their end: each is paid or expired, by when the payer paid`,
  async () => {
    const batch = (size: number, earlierMs = 0) => Promise.all(Array.from({ length: size }, () => race(earlierMs)));
    const batches = Array.from({ length: Math.ceil(RACES / AT_ONCE) }, async (_, index) => {
      await pause(index * APART_MS);
      return batch(Math.min(AT_ONCE, RACES - index * AT_ONCE));
    });
    const raced = (await Promise.all(batches)).flat();
    const count = await checkOutcomes(raced);
    // A race needs payments on both sides of the end. When calls take long, all are late, and the next ones are paid earlier.
    for (let shiftMs = AROUND_MS; count.approved === 0 || count.expired === 0; shiftMs *= 2) {
      const more = await batch(AT_ONCE, count.approved === 0 ? shiftMs : -shiftMs);
      const { approved, expired } = await checkOutcomes(more);
      count.approved += approved;
      count.expired += expired;
      raced.push(...more);
    }
    for (const { id } of raced) {
      const callbacks = await receiver.wait(id, 1);
      expect(new Set(callbacks.map(({ status }) => status)).size).toBe(1);
      expect(new Set(receiver.events(id)).size).toBe(callbacks.length);
    }
  },
  Math.max(300_000, RACES * 3_000),
);
