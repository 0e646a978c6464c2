/** The report of a run of `npm run chaos`. */
import { renderReport } from './harness/report.js';
import type { ChaosResult } from './harness/run-chaos.js';

const result: ChaosResult = {
  ...{ seed: 42, secs: 30, perSecond: 10, workers: 5, mongo: true, cardProcessor: 'iso8583' },
  topology: { redis: 'sentinel', mongodb: 'set', balancer: true, faketime: '/lib/faketime.so' },
  ...{ ok: true, checks: [], faults: [], samples: [], recoveries: [], statuses: {}, folder: '/gateway/runs/42' },
  ...{ startedAt: 0, loadMs: 30_000, drainMs: 1_000, payments: 300, requests: 400, callbacks: 500 },
};
const commandIn = (report: string) => /Repeat it with `(.*)`/.exec(report)?.[1];

test('the command that repeats a run names every option that it was made with', () => {
  expect(commandIn(renderReport(result, '/gateway'))).toBe(
    'npm run chaos -- --seed 42 --secs 30 --rate 10 --workers 5 --mongo --processor iso8583 ' +
      '--redis sentinel --mongodb set --balancer --clocks',
  );
  const plain: ChaosResult = {
    ...{ ...result, mongo: false, cardProcessor: undefined },
    topology: { redis: 'single', mongodb: 'one', balancer: false, faketime: undefined },
  };
  expect(commandIn(renderReport(plain, '/gateway'))).toBe('npm run chaos -- --seed 42 --secs 30 --rate 10 --workers 5');
});
