import fc from 'fast-check';
import { testCards } from '../../../api/testing/test-cards.js';
import { type Accounts, openAccounts } from '../../../scripts/sandbox/simulator/accounts.js';
import { type Bank, createBank } from '../../../scripts/sandbox/simulator/bank.js';
import type { LedgerFile } from '../../../scripts/sandbox/simulator/ledger-file.js';
import { type Personality, personalities, type WireLedgerEntry } from '../../../shared/processors/sandbox/wire.js';

/** A ledger in memory: another test checks whether the disk keeps it. */
function memoryLedger(lines: string[] = []): LedgerFile & { readonly kept: string[] } {
  return {
    kept: lines,
    append: async (line) => void lines.push(line),
    flushed: async () => undefined,
    async *lines() {
      yield* [...lines];
    },
    close: async () => undefined,
  };
}

/** Few originals and many follow-ups, so that they meet. A follow-up may also refer to another follow-up. */
const ORIGINALS = ['a', 'b'] as const;
const KEYS = [...ORIGINALS, ...'cdefghijkl'] as const;
const base = { amountMinor: fc.integer({ min: 1, max: 10 }) };
const approving = testCards.filter(({ outcome }) => outcome === 'approved').map((card) => card.number);
const authorization = fc.record({
  ...base,
  kind: fc.constant('authorization' as const),
  key: fc.constantFrom(...ORIGINALS),
  amountMinor: fc.integer({ min: 5, max: 15 }),
  capture: fc.boolean(),
  verification: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  number: fc.oneof(fc.constantFrom(...approving), fc.constantFrom(...testCards.map((card) => card.number))),
});
const followUp = fc.record({
  ...base,
  kind: fc.constantFrom('capture', 'cancellation', 'refund', 'refund', 'reversal'),
  key: fc.constantFrom(...KEYS),
  original: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ORIGINALS) }, fc.constantFrom(...KEYS)),
});
const step = fc.oneof(authorization, { weight: 3, arbitrary: followUp });
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
const steps = fc.array(step, { minLength: 4, maxLength: 30, size: 'max' });

function take(bank: Bank, personality: Personality, one: Step): void {
  const request = { key: one.key, amountMinor: one.amountMinor, currency: 'USD' };
  if (one.kind === 'authorization') {
    const credential = {
      source: 'card',
      card: { number: one.number, expMonth: 1, expYear: 2040, cvc: '123' },
    } as const;
    bank.authorize(personality, { ...request, credential, capture: one.capture, verification: one.verification });
  } else if (one.kind === 'reversal') bank.reverse(personality, { ...request, original: one.original });
  else bank.followUp(personality, one.kind, { ...request, original: one.original });
}

/** Returns the money that one authorization or purchase has moved, from the public lines only. */
function netOf(lines: readonly WireLedgerEntry[], origin: string): number {
  const standing = new Map<string, WireLedgerEntry>();
  for (const line of lines) {
    const belongs = line.key === origin || line.original === origin || standing.has(line.original ?? '');
    if (!belongs) continue;
    if (line.kind === 'reversal' && line.result === 'reversed') standing.delete(line.original ?? '');
    else if (line.result === 'approved' || line.result === 'pending') standing.set(line.key, line);
  }
  const sign: Partial<Record<WireLedgerEntry['kind'], 1 | -1>> = { purchase: 1, capture: 1, refund: -1 };
  return [...standing.values()].reduce((sum, line) => sum + (sign[line.kind] ?? 0) * line.amountMinor, 0);
}

async function open(ledger: LedgerFile): Promise<{ accounts: Accounts; bank: Bank }> {
  const accounts = await openAccounts(ledger, { now: () => new Date(1_800_000_000_000) }, 1);
  return { accounts, bank: createBank(accounts) };
}

describe('the bank, for any requests in any order', () => {
  it.each(personalities)(
    '%s: never captures more than it holds, and never refunds more than it captured',
    async (personality) => {
      await fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          const { accounts, bank } = await open(memoryLedger());
          for (const one of taken) take(bank, personality, one);
          accounts.close();
          for (const name of KEYS) {
            for (let operation = accounts.books[personality].find(name); operation; operation = operation.before) {
              const { capturedMinor, refundedMinor, line } = operation;
              expect(capturedMinor).toBeGreaterThanOrEqual(0);
              expect(capturedMinor).toBeLessThanOrEqual(line.amountMinor);
              expect(refundedMinor).toBeGreaterThanOrEqual(0);
              expect(refundedMinor).toBeLessThanOrEqual(capturedMinor);
            }
          }
        }),
        { numRuns: 300 },
      );
    },
  );

  it('idempotent: the public lines alone have the same money as the books', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const ledger = memoryLedger();
        const { accounts, bank } = await open(ledger);
        for (const one of taken) take(bank, 'idempotent', one);
        accounts.close();
        const lines = ledger.kept.map((text) => JSON.parse(text.split('\t')[0] ?? '') as WireLedgerEntry);
        for (const name of KEYS) {
          const operation = accounts.books.idempotent.find(name);
          if (operation === undefined || operation.line.original !== null) continue;
          const inBooks = operation.reversed ? 0 : operation.capturedMinor - operation.refundedMinor;
          expect(netOf(lines, name)).toBe(inBooks);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('answers every inquiry as before when it is read again from its ledger', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...personalities), steps, async (personality, taken) => {
        const ledger = memoryLedger();
        const first = await open(ledger);
        for (const one of taken) take(first.bank, personality, one);
        first.accounts.close();
        const second = await open(memoryLedger([...ledger.kept]));
        second.accounts.close();
        for (const name of KEYS) {
          expect(second.bank.inquire(personality, name, 0)).toEqual(first.bank.inquire(personality, name, 0));
          expect(second.accounts.books[personality].find(name)).toEqual(first.accounts.books[personality].find(name));
          const tombstoned = first.accounts.books[personality].isTombstoned(name);
          expect(second.accounts.books[personality].isTombstoned(name)).toBe(tombstoned);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('refuses to reverse a purchase, a captured hold or a capture that has a refund', async () => {
    const { accounts, bank } = await open(memoryLedger());
    const request = (name: string, original = '') => ({ key: name, original, amountMinor: 5, currency: 'USD' });
    const credential = { source: 'card', card: { number: '4242424242424242', expMonth: 1, expYear: 2040 } } as const;
    const reverse = (original: string) => bank.reverse('idempotent', request(`${original}-reverse`, original)).result;
    const { original: _original, ...purchase } = request('purchase');
    bank.authorize('idempotent', { ...purchase, credential, capture: true, verification: false });
    bank.authorize('idempotent', { ...purchase, key: 'hold', credential, capture: false, verification: false });
    bank.followUp('idempotent', 'capture', request('capture', 'hold'));
    expect(reverse('hold')).toBe('refused');
    bank.followUp('idempotent', 'refund', request('refund-1', 'purchase'));
    bank.followUp('idempotent', 'refund', request('refund-2', 'hold'));
    expect(['purchase', 'hold', 'capture'].map(reverse)).toEqual(['refused', 'refused', 'refused']);
    // From the last to the first, each can be reversed.
    expect(['refund-1', 'refund-2', 'purchase', 'capture', 'hold'].map(reverse)).toEqual(Array(5).fill('reversed'));
    accounts.close();
  });
});
