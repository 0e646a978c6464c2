/** From a payment to the requests of the port: all that the merchant sent and that a processor can use. */
import { toMap } from '../../shared/contract/present-payment.js';
import type { Payment, PaymentItem, Transaction } from '../../shared/domain/payment/payment.js';
import { reversalId } from '../../shared/domain/payment/plan-unresolved.js';
import type {
  CredentialSource,
  FollowUpRequest,
  InquiredOperation,
  InquireRequest,
  ProcessorCredential,
  ProcessorItem,
  ProcessorMoney,
  ProcessorOrder,
  ProcessorPayer,
  ReverseRequest,
} from '../../shared/processors/processor.js';
import { merchantOf, referencesOf } from '../merchant-group.js';
import type { OpenedSource } from '../open-card.js';

const transactionOf = (payment: Payment, txId: string): Transaction | undefined =>
  payment.transactions.find(({ id }) => id === txId);

/** In every request: what is sent under which key, for whom. */
export function baseRequest(payment: Payment, txId: string) {
  return {
    key: txId,
    amountMinor: transactionOf(payment, txId)?.amountMinor ?? 0,
    currency: payment.amount.currency,
    acquirer: payment.acquirer,
    merchant: merchantOf(payment),
    traceId: payment.traceId,
  };
}

export function moneyOf({ installments }: Payment): ProcessorMoney {
  return { ...(installments !== undefined && { installments }) };
}

const toItem = ({ metadata: _own, ...item }: PaymentItem): ProcessorItem => item;

export function orderOf({
  referenceId,
  invoiceNumber,
  statementDescriptor,
  items,
  processorFields,
}: Payment): ProcessorOrder {
  return {
    referenceId,
    invoiceNumber,
    ...(statementDescriptor !== undefined && { statementDescriptor }),
    ...(items && { items: items.map(toItem) }),
    ...(processorFields && { fields: toMap(processorFields) }),
  };
}

export function payerOf({ browserDetails, customerId }: Payment): ProcessorPayer {
  return {
    ...(browserDetails && { browser: browserDetails }),
    ...(customerId !== undefined && { customerId }),
  };
}

export function credentialOf(payment: Payment, opened: OpenedSource): ProcessorCredential {
  const source = payment.paymentMethod.source as CredentialSource;
  const { recurring } = payment;
  return {
    source,
    ...opened,
    ...(recurring && {
      stored: {
        initiator: recurring.type === 'initial' ? ('payer' as const) : ('merchant' as const),
        use: recurring.type === 'initial' ? ('first' as const) : ('subsequent' as const),
        reason: 'unscheduled' as const,
      },
    }),
  };
}

export function followUpRequest(payment: Payment, txId: string): FollowUpRequest {
  const [original] = payment.transactions;
  const { reason, description } = transactionOf(payment, txId) ?? {};
  const capture = payment.transactions.find(({ kind, status }) => kind === 'capture' && status === 'approved');
  const { referenceId, invoiceNumber } = payment;
  return {
    ...baseRequest(payment, txId),
    original: original?.id ?? '',
    originalReferences: referencesOf(original),
    originalAmountMinor: original?.amountMinor ?? 0,
    ...(capture && { captureReferences: referencesOf(capture) }),
    order: { referenceId, invoiceNumber },
    ...(reason !== undefined && { reason }),
    ...(description !== undefined && { description }),
  };
}

const inquiredAs = {
  purchase: 'authorize',
  authorization: 'authorize',
  capture: 'capture',
  cancellation: 'cancel',
  refund: 'refund',
  // Never inquired: it is sent until it is confirmed.
  reversal: 'cancel',
} as const satisfies Record<Transaction['kind'], InquiredOperation>;

function operationOf({ purpose }: Payment, kind: Transaction['kind']): InquiredOperation {
  const operation = inquiredAs[kind];
  return operation === 'authorize' && purpose === 'verification' ? 'verify' : operation;
}

export function inquireRequest(payment: Payment, txId: string): InquireRequest {
  const tx = transactionOf(payment, txId);
  const [original] = payment.transactions;
  const onto = tx && original && tx !== original;
  return {
    ...baseRequest(payment, txId),
    operation: operationOf(payment, tx?.kind ?? 'authorization'),
    references: referencesOf(tx),
    ...(onto && { original: original.id, originalReferences: referencesOf(original) }),
  };
}

export function reverseRequest(payment: Payment, txId: string): ReverseRequest {
  return {
    ...baseRequest(payment, txId),
    key: reversalId(txId),
    original: txId,
    originalReferences: referencesOf(transactionOf(payment, txId)),
  };
}
