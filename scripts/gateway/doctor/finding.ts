/** One line of `./gateway doctor`: what was checked, what was found, and what to do about it. */

/** `notice` is worth knowing but needs no repair. `missing` and `wrong` fail the examination. */
export type FindingState = 'ok' | 'notice' | 'missing' | 'wrong';

export interface Finding {
  readonly check: string;
  readonly state: FindingState;
  /** Never contains a secret: no value of a secret setting, no text of the other side. */
  readonly found: string;
  readonly todo?: string;
  /** Page of the documentation that describes it. */
  readonly docs: string;
}

/** Makes the findings of one check. */
export function findingsOf(check: string, docs: string) {
  const make =
    (state: FindingState) =>
    (found: string, todo?: string): Finding => ({ check, state, found, ...(todo !== undefined && { todo }), docs });
  return { ok: make('ok'), notice: make('notice'), missing: make('missing'), wrong: make('wrong') };
}

export const isFine = (findings: readonly Finding[]): boolean =>
  findings.every(({ state }) => state === 'ok' || state === 'notice');
