/** One line of the verdict. */
export interface Check {
  readonly name: string;
  /** The measured value, for people. */
  readonly found: string;
  readonly limit: string;
  readonly ok: boolean;
  readonly note?: string;
  /** The first few offenders. */
  readonly details: readonly string[];
}

const DETAILS_MAX = 20;

/** Counts offenders. At most `atMost` are allowed (default none). */
export function check(
  name: string,
  offenders: readonly string[],
  { atMost = 0, note }: { atMost?: number; note?: string } = {},
): Check {
  return {
    name,
    found: String(offenders.length),
    limit: atMost === 0 ? '0' : `≤ ${atMost}`,
    ok: offenders.length <= atMost,
    details: offenders.slice(0, DETAILS_MAX),
    ...(note !== undefined && { note }),
  };
}

const shown = (value: number) => Math.round(value * 100) / 100;

/** Compares a measured value with its bound. */
export function checkBound(
  name: string,
  value: number | undefined,
  bound: { atMost?: number; atLeast?: number; unit: string },
): Check {
  const { atMost, atLeast, unit } = bound;
  const ok =
    value === undefined || ((atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast));
  return {
    name,
    found: value === undefined ? 'nothing to measure' : `${shown(value)} ${unit}`,
    limit: atMost === undefined ? `≥ ${atLeast} ${unit}` : `≤ ${shown(atMost)} ${unit}`,
    ok,
    details: [],
  };
}

/** Returns the value below which a share of the values lies; undefined when there are none. */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}
