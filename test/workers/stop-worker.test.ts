/** In which order a worker process ends. */
import { stopWorker } from '../../workers/stop-worker.js';

test('a look at the mark that MongoDB does not answer holds up no pool; what pools need is closed after it', async () => {
  const order: string[] = [];
  let answer: () => void = () => undefined;
  const silent = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const step = (name: string) => async () => void order.push(name);
  const stopped = stopWorker({
    clock: { stop: () => void order.push('clock') },
    watch: {
      stop: () => {
        order.push('watch');
        return silent;
      },
    },
    pools: [{ stop: step('processor') }, { stop: step('expiry') }],
    rest: [step('operator'), step('database')],
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual(['clock', 'processor', 'expiry', 'watch']);
  answer();
  await stopped;
  expect(order).toEqual(['clock', 'processor', 'expiry', 'watch', 'operator', 'database']);
});
