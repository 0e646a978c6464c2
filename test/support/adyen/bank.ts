/**
 * The state of the Adyen mock: payments and their operations, by the rules of Adyen's documentation. Modifications are answered as
 * received and decided at once. Only the notification has the outcome.
 */
import { randomBytes } from 'node:crypto';
import type { AdyenNotification } from '../../../shared/processors/adyen/notification.js';
import type { AdyenModification, AdyenPayment, ModificationPath } from '../../../shared/processors/adyen/wire.js';
import type { LedgerEntry } from '../../../shared/processors/processor.js';

interface StoredPayment {
  readonly pspReference: string;
  readonly request: AdyenPayment;
  captured: number;
  refunded: number;
  state: 'authorised' | 'captured' | 'cancelled' | 'refused' | 'open';
}

export const newReference = () => randomBytes(8).toString('hex').toUpperCase();

/** Refusals by the holder's name, as on Adyen's test platform. */
const refusals: Readonly<Record<string, readonly [code: string, reason: string, raw: string]>> = {
  DECLINED: ['2', 'Refused', '05 : Do not honor'],
  CARD_EXPIRED: ['6', 'Expired Card', '54 : Expired card'],
  NOT_ENOUGH_BALANCE: ['12', 'Not enough balance', '51 : Insufficient funds'],
  CVC_DECLINED: ['24', 'CVC Declined', 'N7 : Decline for CVV2 failure'],
  AUTHENTICATION_REQUIRED: ['38', 'Authentication required', '1A : Additional customer authentication required'],
  BLOCK_CARD: ['5', 'Blocked Card', '62 : Restricted card'],
};

/** Card numbers that are refused as this holder's name would be. */
const refusedNumbers: Readonly<Record<string, string>> = { '4000000000000002': 'DECLINED' };

/** Holder's names that lead to other results. */
const results: Readonly<Record<string, string>> = {
  REDIRECT: 'RedirectShopper',
  CHALLENGE: 'ChallengeShopper',
  IDENTIFY: 'IdentifyShopper',
  PENDING: 'Pending',
  ERROR: 'Error',
  NEW_RESULT: 'SomethingNew',
};

const stripped = (reference: string) => reference.replace(/-(capture|cancel|refund)$/, '');

export interface Answer {
  readonly status: number;
  readonly body: object;
  readonly notifications: readonly AdyenNotification[];
}

const fault = (status: number, errorCode: string, errorType: string): Answer => ({
  status,
  body: { status, errorCode, errorType, message: 'a sentence that may quote what was sent' },
  notifications: [],
});

export function createBank() {
  const payments: StoredPayment[] = [];
  const ledger: LedgerEntry[] = [];

  const write = (kind: string, key: string, original: string | null, amount: AdyenPayment['amount'], result: string) =>
    void ledger.push({
      at: new Date().toISOString(),
      kind,
      key,
      original,
      amountMinor: amount.value,
      currency: amount.currency,
      result,
    });

  function pay(request: AdyenPayment): Answer {
    const { amount, reference: merchantReference, merchantAccount, paymentMethod, additionalData, mpiData } = request;
    if (!/^\d{12,19}$/.test(paymentMethod.number)) return fault(422, '101', 'validation');
    if (amount.value <= 0) return fault(422, '137', 'validation');
    const pspReference = newReference();
    const name = refusedNumbers[paymentMethod.number] ?? paymentMethod.holderName ?? '';
    const refusal = refusals[name];
    const purchase = request.captureDelayHours === 0;
    const kind = purchase ? 'purchase' : 'authorization';
    const open = results[name];
    const isPart = additionalData?.allowPartialAuth === 'true' && amount.value > 50_000;
    const value = isPart ? Math.floor(amount.value / 2) : amount.value;
    const state = refusal ? 'refused' : open ? 'open' : purchase ? 'captured' : 'authorised';
    payments.push({ pspReference, request, captured: purchase && !refusal && !open ? value : 0, refunded: 0, state });
    const authorised = state === 'captured' || state === 'authorised';
    write(kind, merchantReference, null, { ...amount, value }, authorised ? 'approved' : (open ?? 'declined'));
    const shared = { pspReference, merchantReference, amount: { ...amount, value } };
    const notification: AdyenNotification = {
      eventCode: 'AUTHORISATION',
      success: authorised ? 'true' : 'false',
      ...shared,
      merchantAccountCode: merchantAccount,
      eventDate: new Date().toISOString(),
      reason: refusal?.[1] ?? '033899:1111:03/2030',
      additionalData: {
        authCode: '033899',
        ...(authorised && { authorisedAmountValue: String(value), authorisedAmountCurrency: amount.currency }),
      },
    };
    if (open !== undefined) return { status: 200, body: { resultCode: open, ...shared }, notifications: [] };
    const network = { avsResult: '7 Both postal code and address match', avsResultRaw: 'Y', cvcResult: '1 Matches' };
    const body = refusal
      ? {
          resultCode: 'Refused',
          refusalReasonCode: refusal[0],
          refusalReason: refusal[1],
          additionalData: { refusalReasonRaw: refusal[2], merchantAdviceCode: '03: Do not try again', ...network },
          ...shared,
        }
      : {
          resultCode: isPart ? 'PartiallyAuthorised' : 'Authorised',
          additionalData: {
            authCode: '033899',
            networkTxReference: '016153570198200',
            transactionLinkId: 'TLID0001',
            authorisedAmountValue: String(value),
            authorisedAmountCurrency: amount.currency,
            ...(mpiData?.cavv && { liabilityShift: 'true' }),
            ...network,
          },
          ...shared,
        };
    return { status: 200, body, notifications: [notification] };
  }

  /** Applies the modification, or returns why it is refused. */
  function refusalOf(what: ModificationPath, known: StoredPayment, value: number): string | undefined {
    const { state, captured, refunded, request } = known;
    if (what === 'captures') {
      if (state !== 'authorised' || value > request.amount.value) return 'Insufficient balance on payment';
      known.captured = value;
      known.state = 'captured';
    } else if (what === 'refunds') {
      if (state !== 'captured') return "Transaction hasn't been captured, refund not possible";
      if (refunded + value > captured) return 'Insufficient balance on payment';
      known.refunded += value;
    } else {
      const possible = state === 'authorised' || (what === 'reversals' && state === 'captured' && refunded === 0);
      if (!possible) return 'Transaction cannot be cancelled';
      known.state = 'cancelled';
    }
    return undefined;
  }

  const events = { captures: 'CAPTURE', refunds: 'REFUND', cancels: 'CANCELLATION', reversals: 'CANCEL_OR_REFUND' };
  const lines = { captures: 'capture', refunds: 'refund', cancels: 'cancellation', reversals: 'reversal' };

  function modify(what: ModificationPath, known: StoredPayment, body: AdyenModification, byReference = false): Answer {
    const { reference, merchantAccount } = body;
    const pspReference = newReference();
    const amount = body.amount ?? known.request.amount;
    const refusal = refusalOf(what, known, amount.value);
    const own = known.request.reference;
    write(byReference ? 'reversal' : lines[what], stripped(reference), own, amount, refusal ? 'declined' : 'approved');
    const notification: AdyenNotification = {
      eventCode: byReference ? 'TECHNICAL_CANCEL' : events[what],
      success: refusal ? 'false' : 'true',
      pspReference,
      originalReference: known.pspReference,
      merchantReference: byReference ? own : reference,
      merchantAccountCode: merchantAccount,
      amount,
      eventDate: new Date().toISOString(),
      reason: refusal ?? '',
      additionalData: what === 'reversals' ? { 'modification.action': known.captured > 0 ? 'refund' : 'cancel' } : {},
    };
    const named = byReference ? { paymentReference: own } : { paymentPspReference: known.pspReference };
    return {
      status: 201,
      body: { merchantAccount, ...named, pspReference, reference, status: 'received', ...(body.amount && { amount }) },
      notifications: [notification],
    };
  }

  return {
    ledger,
    payments,
    pay,
    modify(pspReference: string, what: ModificationPath, body: AdyenModification): Answer {
      const known = payments.find((payment) => payment.pspReference === pspReference);
      return known ? modify(what, known, body) : fault(422, '167', 'validation');
    },
    /** Answers "received" whether the payment exists or not. */
    cancelByReference(body: AdyenModification): Answer {
      const { paymentReference = '', reference, merchantAccount } = body;
      const known = payments.find(({ request }) => request.reference === paymentReference);
      if (known) return modify('cancels', known, body, true);
      const pspReference = newReference();
      const notification: AdyenNotification = {
        eventCode: 'TECHNICAL_CANCEL',
        success: 'false',
        pspReference,
        merchantReference: paymentReference,
        merchantAccountCode: merchantAccount,
        amount: { currency: 'EUR', value: 0 },
        reason: 'Transaction not found',
        additionalData: {},
      };
      const answer = { merchantAccount, paymentReference, pspReference, reference, status: 'received' };
      return { status: 201, body: answer, notifications: [notification] };
    },
  };
}
