/** Compares the answers that callers got with what is stored. */
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { Exchange } from './caller.js';
import { type Check, check, checkBound } from './check.js';
import { type Evidence, waitsForPerson } from './evidence.js';

const SERVER_ERROR = 500;
const isCreation = ({ method, path }: Exchange) =>
  method === 'POST' && (path === '/v1/payments' || path === '/v1/payments/verify');

const operationOf = (path: string) => /\/(captures|cancellations|refunds)$/.exec(path)?.[1];
const keyKinds: Readonly<Record<string, string>> = {
  captures: 'capture',
  cancellations: 'cancellation',
  refunds: 'refund',
};

/** Returns the key under which the reference of a request is used up. */
export function refKeyOf({ path, reference }: Exchange): string | undefined {
  if (reference === undefined) return undefined;
  const operation = operationOf(path);
  return `${operation ? keyKinds[operation] : 'payment'}:${reference}`;
}

/** Finds transactions that an answer showed with another outcome than the stored one. */
function contradictions({ answer, path }: Exchange, byId: ReadonlyMap<string, Payment>): string[] {
  if (answer?.status !== 200 || !Array.isArray(answer.body?.transactions)) return [];
  const payment = byId.get(answer.body.id);
  if (!payment) return [`${path} answered ${answer.body.id}, which is not stored`];
  return (answer.body.transactions as { id: string; status: string }[]).flatMap(({ id, status }) => {
    const stored = payment.transactions.find((tx) => tx.id === id);
    if (status === 'created' || status === 'pending' || stored?.status === status) return [];
    return [`${payment._id} ${id} was shown as ${status}, stored ${stored?.status ?? 'not at all'}`];
  });
}

/** Finds refusals by the processor that are not refusals in the gateway's own books. */
function brokenRefusals(exchange: Exchange, byKey: ReadonlyMap<string, Payment>): string[] {
  if (exchange.answer?.status !== 422) return [];
  const key = refKeyOf(exchange) ?? '';
  const payment = byKey.get(key);
  // The payer was not authenticated, so nothing was to be sent.
  if (payment?.status === 'denied' && payment.threeDs?.error !== undefined) return [];
  const tx = payment?.transactions.find(({ referenceId }) => referenceId === exchange.reference);
  if (tx?.status === 'denied' || tx?.status === 'failed') return [];
  return [`${key} was answered 422, stored ${tx?.status ?? 'not at all'}`];
}

type RequestEvidence = Pick<Evidence, 'payments' | 'exchanges' | 'outages'>;

const paymentsByRefKey = (payments: readonly Payment[]) =>
  new Map(payments.flatMap((payment) => payment.refKeys.map((key) => [key, payment] as const)));

const overlapsAny =
  (outages: Evidence['outages']) =>
  ({ sentAt, tookMs }: Exchange) =>
    outages.some(({ from, to }) => sentAt <= to && sentAt + tookMs >= from);

/** Returns the server errors that nothing excuses. */
export function serverErrors({ payments, exchanges, outages }: RequestEvidence): Exchange[] {
  const [byKey, duringOutage] = [paymentsByRefKey(payments), overlapsAny(outages)];
  return exchanges.filter((exchange) => {
    const { answer } = exchange;
    if (!answer || answer.status < SERVER_ERROR) return false;
    const stored = isCreation(exchange) && byKey.has(refKeyOf(exchange) ?? '');
    // While MongoDB is silent `503` is the right answer. Without such an outage, and for stored payments, every 5xx is wrong.
    return !(duringOutage(exchange) && answer.status === 503 && (answer.body?.code === 'timeout' || !stored));
  });
}

export function auditRequests({ payments, exchanges, outages }: RequestEvidence): Check[] {
  const byId = new Map(payments.map((payment) => [payment._id, payment]));
  const [byKey, duringOutage] = [paymentsByRefKey(payments), overlapsAny(outages)];
  const ambiguous = exchanges.filter(({ answer, reference, unsent }) => !answer && !unsent && reference !== undefined);
  const unresolved = ambiguous.flatMap((exchange) => {
    const key = refKeyOf(exchange) ?? '';
    const payment = byKey.get(key);
    const tx = payment?.transactions.find(({ referenceId }) => referenceId === exchange.reference);
    const open = tx && (tx.status === 'created' || tx.status === 'pending') && payment && !waitsForPerson(payment);
    return open ? [`${key} is still ${tx.status}`] : [];
  });
  const failures = serverErrors({ payments, exchanges, outages }).map(
    ({ method, path, answer }) => `${method} ${path} answered ${answer?.status} ${answer?.body?.code ?? ''}`,
  );
  const creations = exchanges.filter((one) => isCreation(one) && !duringOutage(one) && (one.answer || one.unsent));
  const succeeded = creations.filter(({ answer }) => (answer?.status ?? SERVER_ERROR) < SERVER_ERROR).length;
  return [
    check('ambiguous requests that their reference does not resolve', unresolved, {
      note: `${ambiguous.length} of ${exchanges.length} requests got no answer`,
    }),
    check('server errors', failures),
    check(
      'outcomes answered that are not the stored ones',
      exchanges.flatMap((exchange) => [...contradictions(exchange, byId), ...brokenRefusals(exchange, byKey)]),
    ),
    checkBound(
      'availability of payment creation',
      creations.length > 0 ? (succeeded / creations.length) * 100 : undefined,
      {
        atLeast: 99.9,
        unit: '%',
      },
    ),
  ];
}
