/** Makes the requests of the port from a payment: everything the merchant sent that a processor can use. */

import { toMap } from '../../shared/contract/present-payment.js';
import { defined } from '../../shared/domain/defined.js';
import { authorizationOf, routeOf } from '../../shared/domain/payment/attempts.js';
import type {
  NamedAmount,
  Payment,
  PaymentAmount,
  PaymentItem,
  Transaction,
} from '../../shared/domain/payment/payment.js';
import { reversalId } from '../../shared/domain/payment/plan-reversal.js';
import { findTransaction } from '../../shared/domain/payment/transaction.js';
import { isAuthenticated } from '../../shared/domain/threeds/authentication.js';
import { walletOf, walletOfSource } from '../../shared/domain/wallet/integration.js';
import type {
  AuthorizeRequest,
  CredentialSource,
  FollowUpRequest,
  InquiredOperation,
  InquireRequest,
  ProcessorAmountPart,
  ProcessorCredential,
  ProcessorItem,
  ProcessorMoney,
  ProcessorOrder,
  ProcessorTax,
  ReverseRequest,
} from '../../shared/processors/processor.js';
import { type CardSources, type OpenedCredential, openCredential, openThreeDsProof } from '../open-card.js';
import { merchantOf, referencesOf } from '../processor-merchant.js';
import { type CustomerSource, customerOf, payerOf, RequestNotMadeError } from '../processor-payer.js';
import { storedUseOf } from './stored-use.js';

/** Returns the part of every request: what is sent, under which key, for which merchant. */
function baseRequest(payment: Payment, txId: string) {
  const route = routeOf(payment, txId);
  return {
    key: txId,
    amountMinor: findTransaction(payment, txId)?.amountMinor ?? 0,
    currency: payment.amount.currency,
    acquirer: route.acquirer,
    merchant: merchantOf(payment, route),
    traceId: payment.traceId,
  };
}

const part = (group: NamedAmount | undefined, minor?: number): ProcessorAmountPart | undefined =>
  group ?? (minor === undefined ? undefined : { amountMinor: minor });

function taxesOf({ details, taxMinor }: PaymentAmount): readonly ProcessorTax[] | undefined {
  const tax = details?.tax;
  if (!tax) return taxMinor === undefined ? undefined : [{ law: 'none', amountMinor: taxMinor }];
  const amountMinor = tax.amountMinor ?? taxMinor;
  return [{ law: tax.type, ...defined({ amountMinor, rate: tax.rate }) }];
}

function moneyOf({ amount, installments, installmentPlan, allowPartialApproval }: Payment): ProcessorMoney {
  const { details } = amount;
  return defined({
    tip: part(details?.tip, amount.tipMinor),
    taxes: taxesOf(amount),
    taxedAmountMinor: details?.taxedAmountMinor ?? amount.taxedAmountMinor,
    discount: details?.discount,
    shipping: details?.shipping,
    surcharge: details?.surcharge,
    installments,
    installmentPlan,
    partialApprovalAllowed: allowPartialApproval ? (true as const) : undefined,
  });
}

const toItem = ({ metadata: _own, ...item }: PaymentItem): ProcessorItem => item;

function orderOf({ referenceId, invoiceNumber, statementDescriptor, items, processorFields }: Payment): ProcessorOrder {
  return {
    referenceId,
    invoiceNumber,
    ...defined({
      statementDescriptor,
      items: items?.map(toItem),
      fields: processorFields && toMap(processorFields),
    }),
  };
}

function credentialOf(payment: Payment, opened: OpenedCredential): ProcessorCredential {
  const source = payment.paymentMethod.source as CredentialSource;
  const { cardholder: _payer, saved, ...charged } = opened;
  return {
    source,
    ...charged,
    ...defined({ wallet: walletOf(saved?.source ?? source), stored: storedUseOf(payment, saved) }),
  };
}

export interface RequestDeps extends CardSources, CustomerSource {}

const chargedByProof: ReadonlySet<string> = new Set(['network-token', ...Object.keys(walletOfSource)]);

/**
 * Refuses to send without the proof. A cryptogram is destroyed when the payment may no longer be sent, by the clock of another process;
 * without it only the card number would be charged. A PAN-only credential needs its cvc or an authentication.
 */
function refuseWithoutProof({ payerSecret, cvc, paymentMethod: { source }, threeDs }: Payment): void {
  if (payerSecret && !cvc && !isAuthenticated(threeDs) && chargedByProof.has(source)) {
    throw new RequestNotMadeError('the proof that came with the card was destroyed');
  }
}

/** Builds the request of an authorization. @throws {VaultError} {@link TokenGoneError} {@link RequestNotMadeError}: nothing was sent. */
export async function authorizeRequest(deps: RequestDeps, payment: Payment, txId: string): Promise<AuthorizeRequest> {
  refuseWithoutProof(payment);
  const [opened, customer, proof] = await Promise.all([
    openCredential(deps, payment),
    customerOf(deps, payment),
    openThreeDsProof(deps, payment),
  ]);
  return {
    capture: findTransaction(payment, txId)?.kind === 'purchase',
    verification: payment.purpose === 'verification',
    money: moneyOf(payment),
    order: orderOf(payment),
    payer: defined({ browser: payment.browserDetails, ...payerOf(payment, opened.cardholder, customer) }),
    credential: credentialOf(payment, opened),
    ...baseRequest(payment, txId),
    ...defined({ proof }),
  };
}

/** Builds the request of a capture, cancellation or refund, with the processor's references of the operation on which it acts. */
export function followUpRequest(payment: Payment, txId: string): FollowUpRequest {
  const original = authorizationOf(payment);
  const tx = findTransaction(payment, txId);
  const capture = payment.transactions.find(({ kind, status }) => kind === 'capture' && status === 'approved');
  const { referenceId, invoiceNumber } = payment;
  return {
    original: original?.id ?? '',
    originalReferences: referencesOf(original),
    originalAmountMinor: original?.amountMinor ?? 0,
    ...baseRequest(payment, txId),
    ...(capture && { captureReferences: referencesOf(capture) }),
    order: { referenceId, invoiceNumber },
    // An operation of the gateway itself has its own id as its reference.
    ...defined({
      reason: tx?.reason,
      description: tx?.description,
      referenceId: tx?.referenceId === txId ? undefined : tx?.referenceId,
    }),
  };
}

const inquiredAs = {
  purchase: 'authorize',
  authorization: 'authorize',
  capture: 'capture',
  cancellation: 'cancel',
  refund: 'refund',
  // A reversal is never inquired about: it is sent until it is confirmed.
  reversal: 'cancel',
} as const satisfies Record<Transaction['kind'], InquiredOperation>;

function inquiredOperationOf({ purpose }: Payment, kind: Transaction['kind']): InquiredOperation {
  const operation = inquiredAs[kind];
  return operation === 'authorize' && purpose === 'verification' ? 'verify' : operation;
}

/** Builds an inquiry, by our key, about what became of a transaction. */
export function inquireRequest(payment: Payment, txId: string): InquireRequest {
  const tx = findTransaction(payment, txId);
  const original = authorizationOf(payment);
  const onto = tx && original && inquiredAs[tx.kind] !== 'authorize';
  return {
    ...baseRequest(payment, txId),
    operation: inquiredOperationOf(payment, tx?.kind ?? 'authorization'),
    references: referencesOf(tx),
    ...(onto && { original: original.id, originalReferences: referencesOf(original) }),
  };
}

/** Builds the request that reverses a transaction under the key of its reversal: the whole amount, or the part known to be approved. */
export function reverseRequest(payment: Payment, txId: string): ReverseRequest {
  const tx = findTransaction(payment, txId);
  const key = reversalId(txId);
  return {
    ...baseRequest(payment, txId),
    key,
    amountMinor: tx?.approvedMinor ?? tx?.amountMinor ?? 0,
    original: txId,
    originalReferences: referencesOf(tx),
    ...defined({ refusals: findTransaction(payment, key)?.refusals }),
  };
}
