import { readTrace, renderTrace } from '../../bench/trace/read-trace.mjs';

const mark = (step: string, at: number, ...ids: string[]) => ({ step, at, ids });
const marks = [
  mark('api: request', 100, 'pay_1'),
  mark('api: request', 102, 'pay_2'),
  mark('api: insertMany sent', 105, 'pay_1', 'pay_2'),
  mark('worker: updateMany sent', 120, 'pay_1', 'pay_2'),
  mark('worker: find sent', 121, 'pay_1'),
  mark('worker: updateMany sent', 125, 'pay_1'),
  mark('api: answered', 140, 'pay_1'),
  mark('api: answered', 142, 'pay_2'),
  mark('worker: updateMany sent', 150, 'pay_1'),
  mark('api: request', 900, 'pay_3'),
  mark('api: answered', 990, 'pay_3'),
];

test('a trace has the steps of the median payment, without those that are repeated, later or rare', () => {
  const steps = readTrace(marks, { from: 0, to: 500 });
  expect(
    steps.map(({ step, atMs, tookMs }: { step: string; atMs: number; tookMs: number }) => [step, atMs, tookMs]),
  ).toEqual([
    ['api: request', 0, 0],
    ['api: insertMany sent', 4, 4],
    ['worker: updateMany sent', 19, 15],
    ['worker: find sent', 21, 2],
    ['api: answered', 40, 19],
  ]);
  expect(renderTrace(steps, 'a payment')).toContain('worker: updateMany sent');
});
