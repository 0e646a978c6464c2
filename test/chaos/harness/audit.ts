/** Judges a run by the processor's own books, the database and what callers and receivers saw. Pure. */
import type { Payment, Transaction } from '../../../shared/domain/payment/payment.js';
import { auditCallbacks } from './audit-callbacks.js';
import { auditRequests } from './audit-requests.js';
import { type Check, check } from './check.js';
import { type Evidence, waitsForPerson } from './evidence.js';
import { type LedgerFacts, readLedger } from './ledger-facts.js';

const openStatuses = ['created', 'pending'];

const isSettled = (payment: Payment) =>
  !openStatuses.includes(payment.status) && !payment.activeOp && !payment.work && payment.heldMinor === 0;

/** Whether money arrived for a code after its end: it is not a sale, and waits to be returned. */
const isSurplus = (tx: Transaction) => tx.kind === 'purchase' && tx.status === 'approved' && tx.flagged !== undefined;
const surplusOf = ({ transactions }: Payment) =>
  transactions.filter(isSurplus).reduce((sum, { amountMinor }) => sum + amountMinor, 0);

/** Sums the money that the gateway says was taken, minus what it returned, by currency. */
function moneyOf(payments: readonly Payment[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const payment of payments) {
    const { amount, capturedMinor, refundedMinor } = payment;
    const netMinor = capturedMinor - refundedMinor + surplusOf(payment);
    sums.set(amount.currency, (sums.get(amount.currency) ?? 0) + netMinor);
  }
  return sums;
}

/** Whether it is a release of an account verification at `iso8583`, which holds nothing. Such a release is never sent. */
const isRelease = ({ purpose, processor }: Payment, { kind }: Transaction) =>
  processor === 'iso8583' && purpose === 'verification' && kind === 'cancellation';

const describeOperation = (payment: Payment, tx: Transaction, effects: number) =>
  `${payment._id} ${tx.kind} ${tx.id} at ${payment.processor}: gateway ${tx.status}, ledger ${effects} effect(s)`;

function auditLedger({ payments, ledger }: Evidence): Check[] {
  const facts = readLedger(ledger);
  const all = payments.flatMap((payment) => payment.transactions.map((tx) => ({ payment, tx })));
  const operations = all.filter(
    ({ payment, tx }) => tx.kind !== 'reversal' && !isSurplus(tx) && !isRelease(payment, tx),
  );
  const known = new Set(operations.map(({ tx }) => tx.id));
  const findMismatches = (test: (tx: Transaction, net: number) => boolean) =>
    operations.flatMap(({ payment, tx }) =>
      test(tx, facts.net(tx.id)) ? [describeOperation(payment, tx, facts.net(tx.id))] : [],
    );
  const doubleEffects = facts.keys.filter((key) => facts.net(key) > 1 || facts.approved(key) > 1);
  const money = moneyOf(payments);
  const currencies = [...new Set([...money.keys(), ...facts.moneyMinor.keys()])].sort();
  const differing = currencies.filter(
    (currency) => (money.get(currency) ?? 0) !== (facts.moneyMinor.get(currency) ?? 0),
  );
  const sums = currencies.map(
    (code) => `${code}: gateway ${money.get(code) ?? 0}, ledger ${facts.moneyMinor.get(code) ?? 0}`,
  );
  return [
    check('operations with more than one approved effect', doubleEffects),
    check(
      'gateway approved, ledger not',
      findMismatches((tx, net) => tx.status === 'approved' && net !== 1),
    ),
    check(
      'ledger approved, gateway denied or failed',
      findMismatches((tx, net) => ['denied', 'failed'].includes(tx.status) && net !== 0),
    ),
    check(
      'effects that the gateway knows nothing of',
      facts.keys.filter((key) => !known.has(key)),
    ),
    check(
      'payments that more than one route took money of',
      payments.filter((one) => countChargedAttempts(one, facts) > 1).map(({ _id }) => _id),
    ),
    check('money per currency differs (minor units)', differing, { note: sums.join('; ') }),
    check(
      'payments whose sums do not follow from their transactions',
      payments.filter((one) => !addsUp(one)).map(({ _id }) => _id),
    ),
  ];
}

/** Counts the authorizations and purchases of a payment that stay taken in the books, on any route. */
const countChargedAttempts = ({ transactions }: Payment, facts: LedgerFacts): number =>
  transactions.filter(
    (tx) => (tx.kind === 'purchase' || tx.kind === 'authorization') && !isSurplus(tx) && facts.net(tx.id) > 0,
  ).length;

/** Whether the totals of a payment match its approved transactions, and stay within the authorized amount. */
function addsUp({ transactions, authorizedMinor, capturedMinor, refundedMinor }: Payment): boolean {
  const sum = (...kinds: readonly Transaction['kind'][]) =>
    transactions
      .filter((tx) => tx.status === 'approved' && !isSurplus(tx) && kinds.includes(tx.kind))
      .reduce((total, tx) => total + tx.amountMinor, 0);
  const bounded = refundedMinor <= capturedMinor && capturedMinor <= authorizedMinor;
  return bounded && sum('purchase', 'capture') === capturedMinor && sum('refund') === refundedMinor;
}

/** Whether a payment was sent to a processor although its payer had to be authenticated first, and was not. */
const isUnauthenticated = ({ threeDs, transactions }: Payment) =>
  threeDs?.required === true &&
  transactions.length > 0 &&
  !['authenticated', 'frictionless'].includes(threeDs.status ?? '');

function auditAuthentication(payments: readonly Payment[]): Check {
  const required = payments.filter(({ threeDs }) => threeDs?.required);
  const ends = [...new Set(required.map(({ threeDs }) => threeDs?.status))];
  const count = (status: unknown) => required.filter(({ threeDs }) => threeDs?.status === status).length;
  return check(
    'authorized without the authentication that was asked for',
    required.filter(isUnauthenticated).map(({ _id }) => _id),
    {
      note: ends.map((status) => `${status} ${count(status)}`).join(', '),
    },
  );
}

function auditPayments({ payments, orphanIds }: Evidence): Check[] {
  const waiting = payments.filter(waitsForPerson);
  const unsettled = payments.filter((payment) => !isSettled(payment) && !waitsForPerson(payment));
  const describe = (payment: Payment) =>
    `${payment._id} at ${payment.processor} is ${payment.status}, work ${payment.work?.kind ?? 'none'}, due ${payment.work?.dueAt.toISOString() ?? 'never'}`;
  return [
    check('accepted payments that are not settled after the drain', unsettled.map(describe), {
      note: `${payments.length} accepted, ${waiting.length} flagged for a person where the processor cannot tell`,
    }),
    check('orphans, sampled each second and at the end', [...orphanIds]),
    check(
      'cvc envelopes left after the outcome',
      payments.filter((one) => one.cvc && isSettled(one)).map(({ _id }) => _id),
    ),
  ];
}

/** Runs every check of docs/verification.md, T2, that the database, the books, callers and receivers can answer. */
export function audit(evidence: Evidence): Check[] {
  return [
    ...auditPayments(evidence),
    auditAuthentication(evidence.payments),
    ...auditLedger(evidence),
    ...auditRequests(evidence),
    ...auditCallbacks(evidence),
  ];
}
