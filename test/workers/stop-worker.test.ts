/** The order in which a worker process ends. */
import { stopWorker } from '../../workers/stop-worker.js';

test('a read of the restore mark that MongoDB does not answer delays no pool, and shared things close last', async () => {
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
