/**
 * The operator's log: one JSON record a line (docs/security.md#log-format). Only fields of the allow-list leave the process
 * (docs/security.md#logs): a field that is not listed is dropped, so that a body, a header or a card can never slip into a record.
 */

import { type Logger as PinoLogger, pino } from 'pino';
import { limits } from '../config/limits.js';
import { createLogOutput, type LogOutput } from './log-output.js';

/** What a record may carry beside the message. Ids, counts, codes and durations only. */
export interface LogFields {
  traceId?: string;
  clientTraceId?: string;
  clientId?: string;
  merchantId?: number;
  keyId?: string;
  paymentId?: string;
  sessionId?: string;
  linkId?: string;
  txId?: string;
  deliveryId?: string;
  eventId?: string;
  queue?: string;
  pool?: string;
  job?: string;
  kind?: string;
  code?: string;
  status?: number | string;
  method?: string;
  route?: string;
  host?: string;
  /** Address of a caller; logged only when an operator has to act on it. */
  address?: string;
  ms?: number;
  count?: number;
  port?: number;
  tries?: number;
  version?: number;
  /** Release that the process runs. */
  release?: string;
  /** Chain of the audit; `hash` is the hash of its newest batch. */
  chain?: string;
  hash?: string;
  /** Fields of a message of the processor `iso8583`, as `maskMessage` leaves them. */
  iso8583?: string;
  /** What went wrong, in our own words: never text that was sent to us. */
  reason?: string;
  /** Only its name, code, message, stack and cause are logged, without long runs of digits. */
  error?: unknown;
}

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A log whose records all carry `fields`. */
  with(fields: LogFields): Log;
}

const allowed: ReadonlySet<string> = new Set<keyof LogFields>([
  'traceId',
  'clientTraceId',
  'clientId',
  'merchantId',
  'keyId',
  'paymentId',
  'sessionId',
  'linkId',
  'txId',
  'deliveryId',
  'eventId',
  'queue',
  'pool',
  'job',
  'kind',
  'code',
  'status',
  'method',
  'route',
  'host',
  'address',
  'ms',
  'count',
  'port',
  'tries',
  'version',
  'release',
  'chain',
  'hash',
  'iso8583',
  'reason',
]);

/** Masks runs of 13 to 19 digits, as in a card number: the last safeguard behind the allow-list. */
export const maskDigits = (text: string) => text.replace(/(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])/g, '[digits]');

function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code } = error as { code?: unknown };
  // Joi and driver errors hold the input in other properties: nothing but these five is ever read from an error.
  return {
    name: error.name,
    message: maskDigits(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: maskDigits((error.stack ?? '').split('\n').slice(1, limits.logStackLinesMax).join('\n')),
    ...(error.cause instanceof Error && { cause: `${error.cause.name}: ${maskDigits(error.cause.message)}` }),
  };
}

function pick(fields: LogFields): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (key === 'error') record.error = describeError(value);
    else if (allowed.has(key) && value !== undefined)
      record[key] = typeof value === 'string' ? maskDigits(value) : value;
  }
  return record;
}

function wrap(logger: PinoLogger): Log {
  return {
    debug: (message, fields = {}) => logger.isLevelEnabled('debug') && logger.debug(pick(fields), message),
    info: (message, fields = {}) => logger.isLevelEnabled('info') && logger.info(pick(fields), message),
    warn: (message, fields = {}) => logger.warn(pick(fields), message),
    error: (message, fields = {}) => logger.error(pick(fields), message),
    with: (fields) => wrap(logger.child(pick(fields))),
  };
}

/** Output that all logs of the process share. */
let output: LogOutput | undefined;

/** Returns how many records this process could not write, for its metrics. The log itself reports that only when it can write again. */
export const droppedRecords = (): number => output?.dropped ?? 0;

/**
 * Creates the log of the process. `name` names the process (`api`, `workers`, …). Records go to standard output, when there are few
 * of them a moment later. A process that ends writes what it holds; a killed process loses the records of the last
 * `limits.logGatherMs`. Records that cannot be written are kept up to `limits.logHeldBytesMax`; `log.records-dropped` says how many
 * more were dropped.
 */
export function createLog(name: string, level: string): Log {
  const options = { level, base: { name, pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  output ??= createLogOutput((count) => log.warn('log.records-dropped', { count }));
  const log = wrap(pino(options, output));
  return log;
}
