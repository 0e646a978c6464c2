import { createFaults, type Fault, type FaultSettings, fraction } from '../../../scripts/sandbox/simulator/faults.js';
import { createSandboxProcessor } from '../../../shared/processors/sandbox/create-sandbox-processor.js';
import { keepingLog } from '../../processors/keeping-log.js';
import { authorizeRequest, inquireRequest } from '../../processors/port-requests.js';
import { startTestSimulator, type TestSimulator } from '../../processors/sandbox/sandbox-harness.js';

const none: FaultSettings = {
  timeouts: 0,
  duplicates: 0,
  errors500: 0,
  late: { share: 0, ms: 0 },
  inquiryLagMs: 0,
  seed: 1,
};

describe('faults by seed', () => {
  const settings = { ...none, timeouts: 0.2, errors500: 0.1, duplicates: 0.1, late: { share: 0.1, ms: 7 }, seed: 42 };
  const keys = Array.from({ length: 4_000 }, (_, index) => `txn_${index}`);

  it('are the same in any order, and different with another seed', () => {
    const drawAll = (seed: number, order: readonly string[]) => {
      const faults = createFaults({ ...settings, seed });
      return new Map(order.map((key) => [key, faults.draw('captures', key)]));
    };
    const first = drawAll(42, keys);
    expect([...drawAll(42, [...keys].reverse())].reverse()).toEqual([...first]);
    expect(drawAll(43, keys)).not.toEqual(first);
  });

  it('have the requested shares, and half of the timeouts have an effect', () => {
    const faults = createFaults(settings);
    const drawn = keys.map((key) => faults.draw('captures', key));
    const share = (test: (fault: Fault) => boolean) => drawn.filter(test).length / drawn.length;
    expect(share(({ kind }) => kind === 'timeout')).toBeCloseTo(0.2, 1);
    expect(share(({ kind, effect }) => kind === 'timeout' && effect)).toBeCloseTo(0.1, 1);
    expect(share(({ kind }) => kind === 'error500')).toBeCloseTo(0.1, 1);
    expect(share(({ kind }) => kind === 'none')).toBeCloseTo(0.5, 1);
    expect(drawn.find(({ kind }) => kind === 'late')).toEqual({ kind: 'late', effect: true, delayMs: 7 });
  });

  it('are drawn again at each try, so that no key fails for ever', () => {
    const faults = createFaults({ ...none, timeouts: 0.5 });
    const kinds = new Set(Array.from({ length: 40 }, () => faults.draw('captures', 'txn_1').kind));
    expect(kinds).toEqual(new Set(['none', 'timeout']));
  });

  it('are spread evenly by the fraction of their key', () => {
    const mean = keys.reduce((sum, key) => sum + fraction(key), 0) / keys.length;
    expect(mean).toBeCloseTo(0.5, 1);
  });
});

describe('faults switched on over HTTP', () => {
  let simulator: TestSimulator;
  const TIMEOUT_MS = 1_500;

  beforeAll(async () => {
    simulator = await startTestSimulator();
  });
  afterEach(() => fetch(`${simulator.url}/faults`, { method: 'DELETE' }));
  afterAll(() => simulator.close());

  async function authorizeAll(count: number, personality: 'idempotent' | 'forgetful' = 'idempotent') {
    const processor = createSandboxProcessor({
      baseUrl: simulator.url,
      personality,
      timeoutMs: TIMEOUT_MS,
      log: keepingLog(),
    });
    const run = Math.random().toString(36).slice(2);
    const sent = Array.from({ length: count }, (_, index) => `txn_${run}_${index}`);
    const results = await Promise.all(
      sent.map((key) => processor.authorize(authorizeRequest('4242424242424242', { key, amountMinor: 100 }))),
    );
    const inquiries = await Promise.all(
      sent.map((key) => processor.inquire(inquireRequest(key, { amountMinor: 100 }))),
    );
    await processor.close();
    const keys = new Set((await simulator.books()).map(({ key }) => key));
    return { results, inquiries, charged: sent.filter((key) => keys.has(key)).length };
  }

  it.each(['timeouts', 'errors500'])('%s make calls unknown, and about half of them charge', async (kind) => {
    expect((await simulator.post('/faults', { [kind]: 1 })).status).toBe(200);
    const { results, charged } = await authorizeAll(40);
    expect(new Set(results.map((result) => result.kind))).toEqual(new Set(['unknown']));
    expect(charged).toBeGreaterThan(5);
    expect(charged).toBeLessThan(35);
  });

  it('duplicates are never taken for the answer to another call', async () => {
    await simulator.post('/faults', { duplicates: 0.5 });
    const { results, charged } = await authorizeAll(60);
    expect(charged).toBe(60);
    for (const result of results) expect(['approved', 'unknown']).toContain(result.kind);
    expect(results.filter(({ kind }) => kind === 'approved').length).toBeGreaterThan(20);
  });

  it('late answers arrive late, and lagging inquiries find nothing', async () => {
    await simulator.post('/faults', { late: { share: 1, ms: 60 }, inquiryLagMs: 10_000 });
    const start = performance.now();
    const { results, inquiries } = await authorizeAll(5);
    expect(performance.now() - start).toBeGreaterThanOrEqual(55);
    expect(results.every(({ kind }) => kind === 'approved')).toBe(true);
    expect(inquiries.every(({ kind }) => kind === 'not-found')).toBe(true);
  });

  it('apply to one personality only', async () => {
    await simulator.post('/forgetful/faults', { errors500: 1 });
    expect((await authorizeAll(3)).results.every(({ kind }) => kind === 'approved')).toBe(true);
    expect((await authorizeAll(3, 'forgetful')).results.every(({ kind }) => kind === 'unknown')).toBe(true);
  });

  it('a fixed latency can be set and removed', async () => {
    // The latency is longer than the adapter waits, so the outcome shows it, without a clock.
    await simulator.post('/slow', { ms: 2 * TIMEOUT_MS });
    expect((await authorizeAll(3)).results.every(({ kind }) => kind === 'unknown')).toBe(true);
    await simulator.post('/slow', { ms: 0 });
    expect((await authorizeAll(3)).results.every(({ kind }) => kind === 'approved')).toBe(true);
  });

  it('unknown or impossible settings are refused', async () => {
    for (const body of [{ timeouts: 2 }, { timeout: 0.1 }, { timeouts: 0.6, errors500: 0.6 }, [], 'x']) {
      expect((await simulator.post('/faults', body)).status).toBe(400);
    }
  });
});
