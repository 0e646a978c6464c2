/**
 * Faults that a test switches on. What happens to a request depends only on the seed, the key and how often it was sent, so that a
 * run can be repeated with its requests in any order.
 */
import Joi from 'joi';

export interface FaultSettings {
  /** Share of requests that are never answered: half of them have their effect, half have none. */
  readonly timeouts: number;
  /** Share of requests that are answered twice. */
  readonly duplicates: number;
  /** Share of requests answered 500 without a body: half of them have their effect, half have none. */
  readonly errors500: number;
  readonly late: { readonly share: number; readonly ms: number };
  /** How long inquiries do not find an operation after it was made. */
  readonly inquiryLagMs: number;
  readonly seed: number;
}

export interface Fault {
  readonly kind: 'none' | 'timeout' | 'error500' | 'late' | 'duplicate';
  /** Whether the operation happens at the processor. */
  readonly effect: boolean;
  readonly delayMs: number;
}

export interface Faults {
  readonly inquiryLagMs: number;
  /** Decides what happens to the next request of this kind with this key. */
  draw(kind: string, key: string): Fault;
}

const share = Joi.number().min(0).max(1);
const ms = Joi.number().integer().min(0).max(600_000);

export const faultSettingsSchema = Joi.object<FaultSettings>({
  timeouts: share.default(0),
  duplicates: share.default(0),
  errors500: share.default(0),
  late: Joi.object({ share: share.required(), ms: ms.required() }).default({ share: 0, ms: 0 }),
  inquiryLagMs: ms.default(0),
  seed: Joi.number().integer().default(1),
}).custom((value: FaultSettings, helpers) => {
  const sum = value.timeouts + value.duplicates + value.errors500 + value.late.share;
  return sum > 1 ? helpers.error('any.invalid') : value;
});

export const slowSchema = Joi.object<{ ms: number }>({ ms: ms.required() });

export const noFault: Fault = { kind: 'none', effect: true, delayMs: 0 };

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const UINT32_RANGE = 2 ** 32;

/** Maps a text to a number from 0 to 1 (not 1): FNV-1a with murmur's final mixing, because FNV alone is poor in its high bits. */
export function fraction(text: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / UINT32_RANGE;
}

export function createFaults(settings: FaultSettings): Faults {
  const { timeouts, errors500, duplicates, late, seed } = settings;
  const seen = new Map<string, number>();
  const bands: readonly [share: number, kind: Fault['kind']][] = [
    [timeouts, 'timeout'],
    [errors500, 'error500'],
    [late.share, 'late'],
    [duplicates, 'duplicate'],
  ];
  return {
    inquiryLagMs: settings.inquiryLagMs,
    draw(kind, key) {
      const name = `${kind}|${key}`;
      const times = (seen.get(name) ?? 0) + 1;
      seen.set(name, times);
      let left = fraction(`${seed}|${name}|${times}`);
      const band = bands.find(([width]) => {
        left -= width;
        return left < 0;
      });
      if (band === undefined) return noFault;
      const loses = band[1] === 'timeout' || band[1] === 'error500';
      return {
        kind: band[1],
        effect: !loses || fraction(`${seed}|effect|${name}|${times}`) < 0.5,
        delayMs: band[1] === 'late' ? late.ms : 0,
      };
    },
  };
}
