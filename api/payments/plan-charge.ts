/** Plans how a payment is charged: by which method, at which processor, with or without authentication. Stores nothing. */
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
import type { PaymentChannel, PaymentDraft } from './payment-draft.js';
import type { SealedSource } from './payment-source.js';
import { prepareAuthentication } from './prepare-authentication.js';
import { onlyRoute, routePayment } from './route-payment.js';

/** Result of planning: what is stored with the payment. */
export interface Charge {
  /** First work for a pool. */
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
    | 'threeDs'
    | 'threeDsFacts'
    | 'threeDsSettings'
  >;
  /** For a later charge of a stored card: the payment in which its payer agreed. */
  readonly firstPayment?: Payment | undefined;
}

/** Returns the payee for the acquirer. The payment keeps a copy, so later changes of the merchant do not affect it. */
function acquirerPayeeOf(
  merchant: Merchant | undefined,
  { settings: { rut, merchantCategoryCode, paymentFacilitator: under } }: Pick<ChosenMethod, 'settings'>,
): NonNullable<Payment['payee']> {
  const { name = '', country, taxId } = merchant ?? {};
  const facilitator = under && { id: under.id, subMerchantId: under.merchantId };
  return { name, ...defined({ country, merchantCategoryCode, taxId: rut ?? taxId, facilitator }) };
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

/** What is known about the payment so far. */
interface ChargeFacts {
  readonly id: string;
  readonly channel: PaymentChannel;
  /** Absent for a bank transfer. */
  readonly source: SealedSource | undefined;
  readonly merchant: Merchant | undefined;
  readonly principal: Principal;
}

async function planTransferCharge(
  deps: ApiDeps,
  draft: PaymentDraft,
  merchant: ChargeFacts['merchant'],
): Promise<Charge> {
  const method = await chooseTransferMethod(deps, draft);
  const payee = acquirerPayeeOf(merchant, method);
  return {
    work: 'issue-code',
    fields: { flow: 'pos', paymentMethod: transferView(method), ...onlyRoute(method), payee },
  };
}

/**
 * Plans the charge.
 * @throws {GatewayError} `invalid-card-payment-method`, `currency-not-found`, `payment-invalid-amount`,
 * `request-validation-errors`, `invalid-browser-details`, `wallet-a-pay-pan-only-cvc-required`
 */
export async function planCharge(
  deps: ApiDeps,
  draft: PaymentDraft,
  { id, channel, source, merchant, principal }: ChargeFacts,
): Promise<Charge> {
  if (!source) return planTransferCharge(deps, draft, merchant);
  const method = await chooseCardMethod(deps, {
    merchantId: draft.merchantId,
    brand: source.brand,
    methodId: draft.paymentMethod.id,
    currency: draft.amount.currency,
  });
  const route = await routePayment(deps, draft, source, method, id);
  const firstPayment = await findFirstPayment(deps, draft.recurring, source, principal);
  const authentication = prepareAuthentication(draft, channel, source, method);
  return {
    work: authentication.threeDsFacts ? 'authenticate' : 'authorize',
    firstPayment,
    fields: {
      flow: 'direct',
      paymentMethod: cardView(method, source),
      ...route,
      payee: acquirerPayeeOf(merchant, method),
      ...authentication,
    },
  };
}
