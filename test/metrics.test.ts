/** Series that are read when the registry is read: what is shown, and logged, when they cannot be read. */
import { limits } from '../config/limits.js';
import { version } from '../config/version.js';
import type { LogFields } from '../shared/log.js';
import { createMetrics } from '../shared/metrics.js';
import type { LineReport } from '../shared/processors/line-report.js';

/** Default of Prometheus. */
const PROMETHEUS_WAITS_MS = 10_000;
const failure = new Error('no primary');
const counts = { answered: 3, unanswered: 0, refused: 0, echoed: 0, disconnected: 0 };
const report: LineReport = { connected: 2, wanted: 2, inFlight: 1, waiting: 0, openReversals: 4, counts };

function measured(readMs: number = limits.metricsReadMs) {
  const lines: [string, LogFields][] = [];
  const note = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
  const metrics = createMetrics({ process: 'test', log: { info: note, warn: note }, readMs });
  /** Values of the series of a name, without their labels. */
  const valuesOf = async (name: string) => {
    const series = (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`));
    return series.map((line) => line.slice(line.lastIndexOf(' ') + 1));
  };
  return { metrics, lines, valuesOf };
}

test('gauges that cannot be refreshed are not shown, and the log says once that they are missing and are back', async () => {
  const { metrics, lines, valuesOf } = measured();
  let isSilent = false;
  const refresh = async () => {
    if (isSilent) throw failure;
    metrics.queue('processor', 7, 1.5);
    metrics.queue('qr', 8, 2.5);
  };
  metrics.onScrape({ kind: 'queues', refresh, forget: metrics.forgetQueues });
  expect(await valuesOf('gateway_queue_depth')).toEqual(['7', '8']);
  isSilent = true;
  expect(await valuesOf('gateway_queue_depth')).toEqual([]);
  expect(await valuesOf('gateway_queue_oldest_seconds')).toEqual([]);
  expect(lines).toEqual([['metrics.not-refreshed', { kind: 'queues', error: failure }]]);
  isSilent = false;
  expect(await valuesOf('gateway_queue_oldest_seconds')).toEqual(['1.5', '2.5']);
  expect(await valuesOf('gateway_queue_depth')).toEqual(['7', '8']);
  expect(lines.slice(1)).toEqual([['metrics.refreshed', { kind: 'queues' }]]);
});

test('a scrape does not wait for a silent MongoDB: Prometheus would give up all of it', async () => {
  expect(limits.metricsReadMs).toBeLessThan(PROMETHEUS_WAITS_MS / 2);
  const { metrics, lines, valuesOf } = measured(20);
  metrics.queue('processor', 7, 1.5);
  metrics.event('nudge-failed');
  metrics.onScrape({ kind: 'queues', refresh: () => new Promise(() => undefined), forget: metrics.forgetQueues });
  expect((await valuesOf('gateway_events_total')).filter((value) => value === '1')).toHaveLength(1);
  expect(await valuesOf('gateway_queue_depth')).toEqual([]);
  expect(lines).toMatchObject([['metrics.not-refreshed', { kind: 'queues', error: { name: 'Error' } }]]);
});

test('connections of a processor that cannot be measured leave those of others, and what was counted', async () => {
  const { metrics, lines, valuesOf } = measured();
  metrics.lines('acme', report);
  metrics.lines('other', report);
  const refresh = () => Promise.reject(failure);
  metrics.onScrape({ kind: 'lines of acme', refresh, forget: () => metrics.forgetLines('acme') });
  for (const [gauge, value] of [
    ['connected', '2'],
    ['wanted', '2'],
    ['in_flight', '1'],
    ['waiting', '0'],
    ['open_reversals', '4'],
  ]) {
    expect(await valuesOf(`gateway_line_${gauge}`)).toEqual([value]);
  }
  expect(await valuesOf('gateway_line_events_total')).toHaveLength(10);
  expect(lines).toHaveLength(1);
});

test('the metrics say which release a process runs, so that a rolling deployment can be watched', async () => {
  const { metrics } = measured();
  expect(await metrics.text()).toContain(`gateway_build_info{version="${version}",process="test"} 1\n`);
});
