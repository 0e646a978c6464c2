import { renderTable, renderWork, summarize } from '../../bench/report.mjs';

const cell = (subject: string, conc: number, repetition: number, rate: number, more: object = {}) => ({
  subject,
  conc,
  repetition,
  rate,
  p50: 10,
  p95: 20,
  p99: 30,
  answers: { 200: 100 },
  cpuUs: { api: 5 },
  cpuUsTotal: 1_000,
  foreignShare: 0,
  idleShare: 0,
  rssMb: { api: 100, worker: 90 },
  work: { 'mongodb commands': 3, 'mongodb journal bytes': 2_000.4 },
  startedAt: 0,
  endedAt: 1_000,
  tries: 1,
  ...more,
});

test('the ratio is the median of the ratios of each repetition', () => {
  const cells = [
    cell('gateway', 64, 0, 500),
    cell('F2', 64, 0, 1_000),
    cell('gateway', 64, 1, 90),
    cell('F2', 64, 1, 100),
    cell('F2', 64, 2, 1_000),
    cell('gateway', 64, 2, 600),
  ];
  expect(summarize(cells).find(({ subject }: { subject: string }) => subject === 'gateway')).toMatchObject({
    rate: 500,
    rateToF2: 0.6,
    p50ToF2: 1,
    non2xx: 0,
    noisy: 0,
  });
});

test('a row counts bad answers, keeps the highest memory and marks noise', () => {
  const [row] = summarize([
    cell('gateway', 16, 0, 1, {
      answers: { 200: 1, 503: 2, error: 1 },
      rssMb: { api: 170, worker: 80 },
      foreignShare: 0.4,
    }),
    cell('gateway', 16, 1, 1),
  ]);
  expect(row).toMatchObject({ non2xx: 3, rssMb: { api: 170, worker: 90 }, noisy: 1 });
  expect(renderTable([row], { 16: 0.75 })).toMatch(/gateway +16 .* 0\.75 .*NOISY 1x/);
});

test('the floor with a processor has its own ratios, and the work of the servers is reported per payment', () => {
  const rows = summarize([cell('gateway', 64, 0, 500), cell('F2', 64, 0, 1_000), cell('F2p', 64, 0, 500)]);
  expect(rows[0]).toMatchObject({ rateToF2: 0.5, rateToF2p: 1 });
  expect(renderWork(rows)).toMatch(/gateway +64 +3\.00 +2000\n/);
});
