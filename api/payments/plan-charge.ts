/** How a payment is charged: through which method, at which processor, captured when, authenticated or not. Nothing is stored. */
import { defined } from '../../shared/domain/defined.js';
import type { Merchant } from '../../shared/domain/merchant.js';
import type { Payment, WorkKind } from '../../shared/domain/payment/payment.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import {
  type ChosenMethod,
  chooseCardMethod,
  chooseTransferMethod,
  type TransferMethod,
} from './choose-payment-method.js';
import { findFirstPayment } from './find-first-payment.js';
import type { PaymentDraft } from './payment-draft.js';
import type { SealedSource } from './payment-source.js';
import { planAuthentication } from './plan-authentication.js';
import { onlyRoute, routePayment } from './route-payment.js';

/** What the payment is stored with for it. */
export interface Charge {
  /** What a pool does first. */
  readonly work: WorkKind;
  /** Fields of the payment. */
  readonly fields: Pick<
    Payment,
    | 'flow'
    | 'paymentMethod'
    | 'processor'
    | 'acquirer'
    | 'merchantIdentificationNumber'
    | 'terminalNumber'
    | 'routing'
    | 'payee'
    | 'captureMethod'
    | 'captureDelaySeconds'
    | 'threeDs'
    | 'threeDsFacts'
    | 'threeDsSettings'
  >;
  /** Of a later charge of a stored card: the payment in which its payer agreed. */
  readonly firstPayment?: Payment | undefined;
}

/** Who is paid, for the acquirer: what is changed later does not change a payment that was accepted. */
function payeeOf(
  merchant: Merchant | undefined,
  { settings: { rut, merchantCategoryCode, paymentFacilitator: under } }: Pick<ChosenMethod, 'settings'>,
): NonNullable<Payment['payee']> {
  const { name = '', country, taxId } = merchant ?? {};
  const facilitator = under && { id: under.id, subMerchantId: under.merchantId };
  return { name, ...defined({ country, merchantCategoryCode, taxId: rut ?? taxId, facilitator }) };
}

/** How the money is to be captured: at once, by hand, or after a delay (which is a hold until then). */
function captureOf({ capture, purpose }: PaymentDraft) {
  if (purpose === 'verification' || capture?.method === 'manual') return { captureMethod: 'manual' } as const;
  if (!capture?.delay) return { captureMethod: 'automatic' } as const;
  return { captureMethod: 'automatic', captureDelaySeconds: capture.delay } as const;
}

const transferView = ({ id, name }: TransferMethod): Payment['paymentMethod'] => ({
  id,
  name,
  type: 'bank-transfer',
  source: 'bank-transfer',
});

function cardView({ brand, name }: ChosenMethod, { source, view }: SealedSource): Payment['paymentMethod'] {
  return { id: brand, name, type: 'card', source, ...(view && { card: { brand, ...view } }) };
}

/** What was found out about the payment so far. */
interface Found {
  readonly id: string;
  /** The payer is at our own page. */
  readonly hosted: boolean;
  /** Absent: a bank transfer. */
  readonly source: SealedSource | undefined;
  readonly merchant: Merchant | undefined;
  readonly principal: Principal;
}

async function planTransferCharge(deps: ApiDeps, draft: PaymentDraft, merchant: Found['merchant']): Promise<Charge> {
  const method = await chooseTransferMethod(deps, draft);
  const fields = { flow: 'pos', captureMethod: 'automatic', paymentMethod: transferView(method) } as const;
  return { work: 'issue-code', fields: { ...fields, ...onlyRoute(method), payee: payeeOf(merchant, method) } };
}

/**
 * @throws {GatewayError} `invalid-card-payment-method`, `currency-not-found`, `payment-invalid-amount`,
 * `request-validation-errors`, `invalid-browser-details`, `wallet-a-pay-pan-only-cvc-required`
 */
export async function planCharge(
  deps: ApiDeps,
  draft: PaymentDraft,
  { id, hosted, source, merchant, principal }: Found,
): Promise<Charge> {
  if (!source) return planTransferCharge(deps, draft, merchant);
  const capture = captureOf(draft);
  const method = await chooseCardMethod(deps, {
    merchantId: draft.merchantId,
    brand: source.brand,
    methodId: draft.paymentMethod.id,
    currency: draft.amount.currency,
  });
  const route = await routePayment(deps, draft, source, method, id);
  const firstPayment = await findFirstPayment(deps, draft.recurring, source, principal);
  const authentication = planAuthentication(draft, hosted ? 'checkout' : 'api', source, method);
  return {
    work: authentication.threeDsFacts ? 'authenticate' : 'authorize',
    firstPayment,
    fields: {
      flow: 'direct',
      paymentMethod: cardView(method, source),
      ...capture,
      ...route,
      payee: payeeOf(merchant, method),
      ...authentication,
    },
  };
}
