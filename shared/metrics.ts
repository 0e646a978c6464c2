/**
 * Metrics of a process for the operator, in Prometheus' format. Only this file uses the metrics library; others use {@link Metrics}.
 * The values of labels are closed sets (routes, pools, codes), never ids: each value is a time series.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { limits } from '../config/limits.js';
import { version } from '../config/version.js';
import { within } from './clock.js';
import { droppedRecords, type Log } from './log.js';
import type { LineReport } from './processors/line-report.js';

/** Things that are counted because an operator may have to act on them. */
export const metricEvents = [
  'nudge-failed',
  'reply-lost',
  /** A reply that was not signed by a process of ours: forged, or a process has another REPLY_KEY. */
  'reply-refused',
  'illegal-transition',
  'lease-lost',
  'work-flagged',
  'sweep-recovered',
  'work-unknown',
  /** Documents of a newer release are stored: a process of that release has to work on them. */
  'document-newer',
  /** A job has a name or a payload that this release does not know. */
  'job-refused',
  /** A worker no longer asked its queue for jobs, and another took its place. */
  'worker-replaced',
  /** A route could not be reached so often that payments that have another route avoid it. */
  'route-opened',
  /** A payment continued at its next route. */
  'route-changed',
  'authentication-failed',
  'waiting-refused',
  'card-testing',
  /** A sealed card does not open although its key is there: it was changed or moved. */
  'envelope-tampered',
  /** A used reference, or Idempotency-Key, was tried with several different bodies. */
  'reference-probed',
  /** A certificate of a merchant for wallet-b ends soon, or has ended. */
  'wallet-certificate-expiring',
  /** The files of wallet roots and keys cannot be used, or hold no unexpired root: what was read before stays in use. */
  'wallet-trust-unusable',
  /** A browser reports that the policy of a page refused something. */
  'page-policy-violated',
  /** The clock of the process and MongoDB's are far apart. */
  'clock-off',
  /** An update in a processor's name was not signed by the processor, or cannot be read. */
  'update-unverified',
  'update-unreadable',
  /** An update of a processor needs a person: its payment is not known, or it does not fit. */
  'update-flagged',
  /** The database was restored, or lost writes: nothing is sent until the processors' books are compared. */
  'safe-mode',
  /** A call was refused because of safe mode. */
  'safe-mode-refused',
  /** The books of a processor and the payments differ. */
  'books-differ',
  /** A payment that no process will ever continue (I2). */
  'orphan-found',
  /** Redis is unavailable: each process counts requests by itself. */
  'counted-apart',
] as const;
export type MetricEvent = (typeof metricEvents)[number];

/** Series whose values are read only when the registry is read. */
export interface ScrapedSeries {
  /** What the series are about, for the log. */
  readonly kind: string;
  /** Reads the values and sets the series. */
  refresh(): Promise<void>;
  /** Removes the series: a value that could not be refreshed must not look like a current one. */
  forget(): void;
}

export interface Metrics {
  /** One HTTP answer. `route` is the pattern, never the path. */
  request(labels: { method: string; route: string; status: number }, seconds: number): void;
  /** One step of a worker: a job that ran, with its outcome. */
  step(labels: { pool: string; job: string; outcome: string }, seconds: number): void;
  /** One payment operation that reached an outcome; `code` is the error code, `none` on success. */
  outcome(labels: { kind: string; status: string; code: string }): void;
  event(event: MetricEvent, count?: number): void;
  /** Payments that wait in this process for their outcome. */
  waiting(count: number): void;
  /** Pieces of due work of a queue, and the age of the oldest. */
  queue(queue: string, depth: number, oldestAgeSeconds: number): void;
  /** Removes the series of all queues. */
  forgetQueues(): void;
  /** Routes of a processor that are avoided because they could not be reached. */
  openRoutes(processor: string, count: number): void;
  /** Differences between the books of processors and the payments that wait for a person, by kind. */
  bookFindings(counts: Readonly<Record<string, number>>): void;
  /** Payments that no process will ever continue (I2), as the last round over all payments found them. */
  orphans(count: number): void;
  /** The persistent connections of this process to a processor. Their counters count since the process began. */
  lines(processor: string, report: LineReport): void;
  /** Removes the gauges of these connections. */
  forgetLines(processor: string): void;
  /** Refreshes these series before the registry is read. A failure removes them and is logged, once until they can be read again. */
  onScrape(series: ScrapedSeries): void;
  readonly contentType: string;
  /** The whole registry as text. */
  text(): Promise<string>;
}

const HTTP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

function createSeries(registry: Registry) {
  const requests = new Histogram({
    name: 'gateway_http_request_seconds',
    help: 'HTTP answers of the API by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: HTTP_SECONDS,
    registers: [registry],
  });
  const steps = new Histogram({
    name: 'gateway_step_seconds',
    help: 'Steps of the workers by pool, job and outcome',
    labelNames: ['pool', 'job', 'outcome'],
    buckets: HTTP_SECONDS,
    registers: [registry],
  });
  const outcomes = new Counter({
    name: 'gateway_outcomes_total',
    help: 'Payment operations that reached an outcome',
    labelNames: ['kind', 'status', 'code'],
    registers: [registry],
  });
  const events = new Counter({
    name: 'gateway_events_total',
    help: 'Events an operator may have to act on',
    labelNames: ['event'],
    registers: [registry],
  });
  new Counter({
    name: 'gateway_log_records_dropped_total',
    help: 'Records of the log that standard output did not take',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedRecords());
    },
  });
  const build = new Gauge({
    name: 'gateway_build_info',
    help: 'Release that this process runs; the value is always 1',
    labelNames: ['version'],
    registers: [registry],
  });
  build.set({ version }, 1);
  // Every series begins at zero: a series that begins with its first event shows no increase, and no alert fires for it.
  for (const event of metricEvents) events.inc({ event }, 0);
  return { requests, steps, outcomes, events };
}

function createGauges(registry: Registry) {
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge<L>({ name, help, labelNames, registers: [registry] });
  return {
    waiting: gauge('gateway_waiting', 'Calls that wait for an outcome'),
    depth: gauge('gateway_queue_depth', 'Pieces of work that are due', 'queue'),
    age: gauge('gateway_queue_oldest_seconds', 'Age of the oldest piece of work that is due', 'queue'),
    openRoutes: gauge(
      'gateway_routes_open',
      'Routes of a processor whose circuit breaker is open in this process',
      'processor',
    ),
    bookFindings: gauge('gateway_book_findings', 'Differences with books of processors that are open', 'kind'),
    orphans: gauge('gateway_orphans', 'Payments that nothing will go on with'),
  };
}

/** @returns functions that set the series, and that remove the gauges */
function createLineSeries(registry: Registry): { set: Metrics['lines']; forget: Metrics['forgetLines'] } {
  const gauges: Gauge<'processor'>[] = [];
  const gauge = (name: string, help: string) => {
    const made = new Gauge({ name: `gateway_line_${name}`, help, labelNames: ['processor'], registers: [registry] });
    gauges.push(made);
    return made;
  };
  const connected = gauge('connected', 'Connections to a processor that messages can be sent on');
  const wanted = gauge('wanted', 'Connections to a processor that there should be');
  const inFlight = gauge('in_flight', 'Messages that wait for the answer of a processor');
  const waiting = gauge('waiting', 'Messages that wait for a connection to a processor');
  const openReversals = gauge(
    'open_reversals',
    'Reversals that a processor has not confirmed, of the whole installation',
  );
  const events = new Counter({
    name: 'gateway_line_events_total',
    help: 'What happened on the connections to a processor',
    labelNames: ['processor', 'event'],
    registers: [registry],
  });
  const seen = new Map<string, number>();
  const set: Metrics['lines'] = (processor, report) => {
    connected.set({ processor }, report.connected);
    wanted.set({ processor }, report.wanted);
    inFlight.set({ processor }, report.inFlight);
    waiting.set({ processor }, report.waiting);
    openReversals.set({ processor }, report.openReversals);
    for (const [event, count] of Object.entries(report.counts)) {
      const name = `${processor} ${event}`;
      events.inc({ processor, event }, count - (seen.get(name) ?? 0));
      seen.set(name, count);
    }
  };
  return {
    set,
    forget: (processor) => {
      for (const gauge of gauges) gauge.remove({ processor });
    },
  };
}

function createScraped(log: Pick<Log, 'info' | 'warn'> | undefined, readMs: number) {
  const refreshers: (() => Promise<void>)[] = [];
  return {
    add({ kind, refresh, forget }: ScrapedSeries) {
      let isFailing = false;
      refreshers.push(async () => {
        try {
          await within(readMs, refresh(), () => {
            throw new Error(`no answer within ${readMs} ms`);
          });
          if (isFailing) log?.info('metrics.refreshed', { kind });
          isFailing = false;
        } catch (error) {
          forget();
          if (!isFailing) log?.warn('metrics.not-refreshed', { kind, error });
          isFailing = true;
        }
      });
    },
    refresh: () => Promise.all(refreshers.map((refresh) => refresh())),
  };
}

/**
 * Makes the registry of one process.
 * @param options.process a label on every series (`api`, `workers`).
 * @param options.runtime also CPU, memory and event loop of the process; off in tests.
 * @param options.log where series that cannot be refreshed are named; absent in tests.
 * @param options.readMs how long a scrape waits for series that are refreshed; shorter in tests.
 */
export function createMetrics(options: {
  process: string;
  runtime?: boolean;
  log?: Pick<Log, 'info' | 'warn'>;
  readMs?: number;
}): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ process: options.process });
  if (options.runtime) collectDefaultMetrics({ register: registry });
  const { requests, steps, outcomes, events } = createSeries(registry);
  const { waiting, depth, age, openRoutes, bookFindings, orphans } = createGauges(registry);
  const lines = createLineSeries(registry);
  const scraped = createScraped(options.log, options.readMs ?? limits.metricsReadMs);
  return {
    request: (labels, seconds) => requests.observe(labels, seconds),
    step: (labels, seconds) => steps.observe(labels, seconds),
    outcome: (labels) => outcomes.inc(labels),
    event: (event, count = 1) => events.inc({ event }, count),
    waiting: (count) => waiting.set(count),
    queue(queue, due, oldestAgeSeconds) {
      depth.set({ queue }, due);
      age.set({ queue }, oldestAgeSeconds);
    },
    forgetQueues() {
      depth.reset();
      age.reset();
    },
    openRoutes: (processor, count) => openRoutes.set({ processor }, count),
    bookFindings(counts) {
      for (const [kind, count] of Object.entries(counts)) bookFindings.set({ kind }, count);
    },
    orphans: (count) => orphans.set(count),
    lines: lines.set,
    forgetLines: lines.forget,
    onScrape: scraped.add,
    contentType: registry.contentType,
    async text() {
      await scraped.refresh();
      return registry.metrics();
    },
  };
}
