/** How a payment is charged: through which method, at which processor, captured when, authenticated or not. Nothing is stored. */
import { defined } from '../../shared/domain/defined.js';
import type { Payment, WorkKind } from '../../shared/domain/payment/payment.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import {
  type ChosenMethod,
  chooseCardMethod,
  chooseTransferMethod,
  refuseUnfit,
  type TransferMethod,
} from './choose-payment-method.js';
import { chooseRouteOf, onlyRoute } from './choose-route-of.js';
import { findFirstPayment } from './find-first-payment.js';
import type { PaymentDraft } from './payment-draft.js';
import { planAuthentication } from './plan-authentication.js';
import type { SealedSource } from './seal-source.js';

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
async function payeeOf(
  { merchants }: Pick<ApiDeps, 'merchants'>,
  { merchantId }: PaymentDraft,
  { settings: { rut, merchantCategoryCode, paymentFacilitator: under } }: Pick<ChosenMethod, 'settings'>,
): Promise<NonNullable<Payment['payee']>> {
  const { name = '', country, taxId } = (await merchants.findMerchant(merchantId)) ?? {};
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

async function planTransferCharge(deps: ApiDeps, draft: PaymentDraft): Promise<Charge> {
  const method = await chooseTransferMethod(deps, draft);
  refuseUnfit(draft);
  const fields = { flow: 'pos', captureMethod: 'automatic', paymentMethod: transferView(method) } as const;
  const payee = await payeeOf(deps, draft, method);
  return { work: 'issue-code', fields: { ...fields, ...onlyRoute(method), payee } };
}

interface Charged {
  /** Of the payment: shares are drawn by it. */
  readonly id: string;
  /** Absent: a bank transfer. */
  readonly source: SealedSource | undefined;
  readonly principal: Principal;
}

/**
 * @throws {GatewayError} `invalid-card-payment-method`, `currency-not-found`, `request-validation-errors`,
 * `invalid-browser-details`, `wallet-a-pay-pan-only-cvc-required`
 */
export async function planCharge(
  deps: ApiDeps,
  draft: PaymentDraft,
  { id, source, principal }: Charged,
): Promise<Charge> {
  if (!source) return planTransferCharge(deps, draft);
  const method = await chooseCardMethod(deps, {
    merchantId: draft.merchantId,
    brand: source.brand,
    methodId: draft.paymentMethod.id,
    currency: draft.amount.currency,
  });
  const route = await chooseRouteOf(deps, draft, source, method, id);
  const firstPayment = await findFirstPayment(deps, draft, source, principal);
  const authentication = planAuthentication(draft, source, method);
  return {
    work: authentication.threeDsFacts ? 'authenticate' : 'authorize',
    firstPayment,
    fields: {
      flow: 'direct',
      paymentMethod: cardView(method, source),
      ...captureOf(draft),
      ...route,
      payee: await payeeOf(deps, draft, method),
      ...authentication,
    },
  };
}
