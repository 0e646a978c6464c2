/**
 * Refuses, before anything is sent, values for which Adyen has no field and which change what the payer or the merchant pays, or the
 * terms. Values that only describe the order are left out instead (docs/adyen.md).
 */
import { responseCodes } from '../../domain/response-codes.js';
import type { AuthorizeRequest, Failed } from '../processor.js';
import { toAdyenAmount } from './currency.js';

const METADATA_PAIRS_MAX = 20;
const METADATA_KEY_MAX = 20;
const METADATA_VALUE_MAX = 80;

/** `subMerchants.id` of the published API. */
const SUB_MERCHANT_ID_MAX = 15;

/** `installments.plan` of the published API. */
const plans: ReadonlySet<string> = new Set([
  'bonus',
  'buynow_paylater',
  'interes_refund_prctg',
  'interest_bonus',
  'nointeres_refund_prctg',
  'nointerest_bonus',
  'refund_prctg',
  'regular',
  'revolving',
  'with_interest',
]);

export const scaExemptions: Readonly<Record<string, string>> = {
  'low-value': 'lowValue',
  'secure-corporate': 'secureCorporate',
  'transaction-risk-analysis': 'transactionRiskAnalysis',
  'trusted-beneficiary': 'trustedBeneficiary',
};

const transStatuses: ReadonlySet<string> = new Set(['Y', 'N', 'U', 'A', 'C', 'R', 'I', 'D']);

type Check = (request: AuthorizeRequest) => string | undefined;

const checks: readonly Check[] = [
  ({ amountMinor, currency }) => (toAdyenAmount(amountMinor, currency) ? undefined : `this amount of ${currency}`),
  ({ credential: { card } }) => (card ? undefined : 'click to pay'),
  ({ merchant: { facilitator } }) =>
    facilitator && facilitator.subMerchant.id.length > SUB_MERCHANT_ID_MAX
      ? `a sub-merchant id of more than ${SUB_MERCHANT_ID_MAX} characters`
      : undefined,
  ({ money: { taxes = [] } }) => (taxes.some(({ law }) => law !== 'none') ? 'the benefit of a tax law' : undefined),
  ({ money: { installmentPlan } }) =>
    installmentPlan === undefined || plans.has(installmentPlan) ? undefined : 'this installment plan',
  ({ money: { surcharge }, currency }) =>
    surcharge === undefined || toAdyenAmount(surcharge.amountMinor, currency) ? undefined : 'this surcharge',
  ({ proof: { exemption } = {} }) =>
    exemption === undefined || scaExemptions[exemption] ? undefined : `the exemption ${exemption}`,
  ({ proof: { transStatus } = {} }) =>
    transStatus === undefined || transStatuses.has(transStatus) ? undefined : 'this result of 3D Secure',
  ({ order: { fields = {} } }) => {
    const pairs = Object.entries(fields);
    const fit = pairs.every(([key, value]) => key.length <= METADATA_KEY_MAX && value.length <= METADATA_VALUE_MAX);
    return fit && pairs.length <= METADATA_PAIRS_MAX
      ? undefined
      : `more than ${METADATA_PAIRS_MAX} fields, or one longer than ${METADATA_KEY_MAX} and ${METADATA_VALUE_MAX} characters`;
  },
];

/** ISO 8583 code 40: the function is not supported. */
export const notSupported = (what: string): Failed => ({
  kind: 'failed',
  resultCode: responseCodes.notSupported,
  resultMessage: `Not sent: Adyen does not take ${what}`,
});

export function unsupportedIn(request: AuthorizeRequest): Failed | undefined {
  for (const check of checks) {
    const what = check(request);
    if (what !== undefined) return notSupported(what);
  }
  return undefined;
}
