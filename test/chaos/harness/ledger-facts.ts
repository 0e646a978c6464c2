/** Facts in the processor's own books, which are the truth of the audit. */
import type { LedgerEntry } from '../../../shared/processors/processor.js';

export interface LedgerFacts {
  /** Number of approved effects of a key that were not reversed. */
  net(key: string): number;
  /** Number of approved effects of a key, reversed or not. */
  approved(key: string): number;
  readonly keys: readonly string[];
  /** Money that stays taken, by currency, in minor units: purchases and captures less refunds. */
  readonly moneyMinor: ReadonlyMap<string, number>;
}

const moneyOf: Readonly<Record<string, 1 | -1>> = { purchase: 1, capture: 1, refund: -1 };

/** Reads entries of the books, oldest first. */
export function readLedger(entries: readonly LedgerEntry[]): LedgerFacts {
  const approved = new Map<string, number>();
  const reversed = new Map<string, number>();
  const kindOf = new Map<string, LedgerEntry>();
  const moneyMinor = new Map<string, number>();
  const add = (to: Map<string, number>, key: string, by: number) => to.set(key, (to.get(key) ?? 0) + by);

  for (const entry of entries) {
    if (entry.kind === 'reversal') {
      const { original } = entry;
      if (original === null || entry.result !== 'reversed') continue;
      add(reversed, original, 1);
      const taken = kindOf.get(original);
      if (taken) add(moneyMinor, taken.currency, -(moneyOf[taken.kind] ?? 0) * taken.amountMinor);
      continue;
    }
    // Money that arrived for a code is the effect of the payment that had the code issued.
    if (entry.kind === 'transfer' && entry.original !== null) {
      add(approved, entry.original, 1);
      add(moneyMinor, entry.currency, entry.amountMinor);
      continue;
    }
    kindOf.set(entry.key, entry);
    if (entry.result !== 'approved') continue;
    add(approved, entry.key, 1);
    add(moneyMinor, entry.currency, (moneyOf[entry.kind] ?? 0) * entry.amountMinor);
  }
  return {
    approved: (key) => approved.get(key) ?? 0,
    net: (key) => (approved.get(key) ?? 0) - (reversed.get(key) ?? 0),
    keys: [...kindOf.keys()],
    moneyMinor,
  };
}
