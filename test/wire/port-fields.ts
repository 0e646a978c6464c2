/** Where the adapter gets each field of a request: the path in the port's request, or why the field goes no further. */
import { fieldsOf, type Path, valueAt } from './schema-walk.js';

type Convert = (sent: unknown) => unknown;

/** A path such as `order.referenceId`; a path and what it carries of the field; or why nothing is carried. */
export type Way = string | { readonly at: string; readonly as: Convert } | { readonly stops: string };

const minor: Convert = (sent) => Math.round(Number(sent) * 100);
const moment: Convert = (sent) => new Date(String(sent)).toISOString();
const amountAt = (at: string) => ({ at, as: minor });
/** A decimal has one text, however it was sent. */
const decimalAt = (at: string) => ({ at, as: (sent: unknown) => String(Number(sent)) });
const stops = (why: string) => ({ stops: why });

const holder = (field: string): Record<string, Way> => ({
  [`${field}.firstName`]: 'payer.firstName',
  [`${field}.lastName`]: 'payer.lastName',
  [`${field}.email`]: 'payer.email',
});

const addressOf = (field: string, at: string): Record<string, Way> =>
  Object.fromEntries(
    ['city', 'country', 'line1', 'line2', 'postalCode', 'state'].map((name) => [`${field}.${name}`, `${at}.${name}`]),
  );

const part = (field: string, at: string): Record<string, Way> => ({
  [`${field}.amount`]: amountAt(`${at}.amountMinor`),
  [`${field}.description`]: `${at}.description`,
});

const opened = stops('the gateway opens it: its card is sent');
const own = stops('the merchant’s own: what is meant for the processor goes in paymentMethod.fields');

export const paymentWays: Readonly<Record<string, Way>> = {
  merchantId: 'merchant.id',
  flow: stops('says what the payment is paid by; the source says it too'),
  referenceId: 'order.referenceId',
  invoiceNumber: 'order.invoiceNumber',
  'paymentMethod.source': 'credential.source',
  'paymentMethod.id': 'credential.card.brand',
  'paymentMethod.card.number': 'credential.card.number',
  'paymentMethod.card.expMonth': 'credential.card.expMonth',
  'paymentMethod.card.expYear': 'credential.card.expYear',
  'paymentMethod.card.cvc': 'credential.card.cvc',
  ...holder('paymentMethod.card.cardholder'),
  'paymentMethod.card.cardholder.birthdate': { at: 'payer.birthdate', as: moment },
  'paymentMethod.card.cardholder.identification.type': 'payer.document.type',
  'paymentMethod.card.cardholder.identification.value': 'payer.document.value',
  ...addressOf('paymentMethod.card.cardholder.billingAddress', 'payer.address'),
  'paymentMethod.card.cardholder.phoneNumber': 'payer.phone',
  'paymentMethod.card.tokenizationSettings.type': stops('credential.stored says that the card is stored'),
  'paymentMethod.card.tokenizationSettings.expiration': stops('when the token ends is a matter of the gateway'),
  'paymentMethod.card.metadata': 'credential.card.metadata',
  'paymentMethod.paymentInstrument.token': opened,
  'paymentMethod.paymentInstrument.cvc': 'credential.card.cvc',
  'paymentMethod.networkToken.number': 'credential.card.number',
  'paymentMethod.networkToken.expMonth': 'credential.card.expMonth',
  'paymentMethod.networkToken.expYear': 'credential.card.expYear',
  'paymentMethod.networkToken.cryptogram': 'credential.card.networkToken.cryptogram',
  'paymentMethod.networkToken.eci': 'credential.card.networkToken.eci',
  'paymentMethod.walletAPayToken.token': opened,
  ...holder('paymentMethod.walletAPayToken.cardholder'),
  'paymentMethod.walletAPayToken.cvc': 'credential.card.cvc',
  'paymentMethod.walletBPayToken.token': opened,
  ...holder('paymentMethod.walletBPayToken.cardholder'),
  'paymentMethod.clickToPayToken.correlationId': 'credential.clickToPay.correlationId',
  'paymentMethod.clickToPayToken.merchantTransactionId': 'credential.clickToPay.merchantTransactionId',
  'paymentMethod.clickToPayToken.scheme': 'credential.clickToPay.scheme',
  'paymentMethod.fields': 'order.fields',
  'items.0.referenceId': 'order.items.0.referenceId',
  'items.0.name': 'order.items.0.name',
  'items.0.description': 'order.items.0.description',
  'items.0.quantity': 'order.items.0.quantity',
  'items.0.price': decimalAt('order.items.0.price'),
  'items.0.discount': decimalAt('order.items.0.discount'),
  'items.0.tax.amount': decimalAt('order.items.0.tax.amount'),
  'items.0.tax.currency': 'order.items.0.tax.currency',
  'items.0.metadata': own,
  installments: 'money.installments',
  installmentPlan: 'money.installmentPlan',
  allowPartialApproval: 'money.partialApprovalAllowed',
  exemption: 'proof.exemption',
  'amount.total': amountAt('amountMinor'),
  'amount.currency': 'currency',
  'amount.tip': amountAt('money.tip.amountMinor'),
  'amount.tax': amountAt('money.taxes.0.amountMinor'),
  'amount.taxedAmount': amountAt('money.taxedAmountMinor'),
  'amount.details.tax.type': decimalAt('money.taxes.0.law'),
  'amount.details.tax.amount': amountAt('money.taxes.0.amountMinor'),
  'amount.details.tax.rate': decimalAt('money.taxes.0.rate'),
  'amount.details.taxedAmount': amountAt('money.taxedAmountMinor'),
  ...part('amount.details.tip', 'money.tip'),
  ...part('amount.details.discount', 'money.discount'),
  ...part('amount.details.shipping', 'money.shipping'),
  ...part('amount.details.surcharge', 'money.surcharge'),
  'browserDetails.ipAddress': 'payer.browser.ipAddress',
  'browserDetails.userAgent': 'payer.browser.userAgent',
  'browserDetails.deviceFingerprint': 'payer.browser.deviceFingerprint',
  'browserDetails.device': 'payer.browser.device',
  'browserDetails.operativeSystem': 'payer.browser.operativeSystem',
  'browserDetails.acceptHeader': 'payer.browser.acceptHeader',
  'browserDetails.language': 'payer.browser.language',
  'browserDetails.javascriptEnabled': 'payer.browser.javascriptEnabled',
  'browserDetails.javaEnabled': 'payer.browser.javaEnabled',
  'browserDetails.colorDepth': 'payer.browser.colorDepth',
  'browserDetails.screenHeight': 'payer.browser.screenHeight',
  'browserDetails.screenWidth': 'payer.browser.screenWidth',
  'browserDetails.timeZoneOffset': 'payer.browser.timeZoneOffset',
  'browserDetails.challengeWindowSize': 'payer.browser.challengeWindowSize',
  statementDescriptor: 'order.statementDescriptor',
  'capture.method': { at: 'capture', as: (method) => method === 'automatic' },
  'capture.delay': stops('the gateway captures when it is due'),
  customerId: 'payer.customerId',
  redirectUrl: stops('the payer comes back to the gateway first'),
  callbackUrl: stops('the gateway sends the callback'),
  'recurring.type': { at: 'credential.stored.use', as: (type) => (type === 'initial' ? 'first' : 'subsequent') },
  'recurring.initialPaymentId': stops('our id: the network transaction id of that payment is sent'),
  'recurring.frequency': 'credential.stored.frequency',
  'recurring.reason': 'credential.stored.reason',
  'recurring.expiresAt': { at: 'credential.stored.expiresAt', as: moment },
  metadata: own,
};

/** Of a customer: where the card says nothing of its holder. */
export const customerWays: Readonly<Record<string, Way>> = {
  referenceId: 'payer.customerReference',
  metadata: own,
  description: own,
  email: 'payer.email',
  phone: 'payer.phone',
  firstName: 'payer.firstName',
  lastName: 'payer.lastName',
  'document.type': 'payer.document.type',
  'document.value': 'payer.document.value',
  'identification.type': stops('the primary document is sent; this one where there is none'),
  'identification.value': stops('the primary document is sent; this one where there is none'),
  birthdate: { at: 'payer.birthdate', as: moment },
  ...addressOf('address', 'payer.address'),
  ...addressOf('shipping.address', 'payer.shipping.address'),
  'shipping.name': 'payer.shipping.name',
  status: stops('the gateway says it, whatever is sent'),
  'shipping.phone': 'payer.shipping.phone',
};

const choosesTheRoute = stops('says which route a payment takes, or whether another follows');
const ofTheRoute = stops(
  'a payment at this route carries it in the place of the settings: test/pipeline/routing.test.ts',
);

export const methodWays: Readonly<Record<string, Way>> = {
  enabled: stops('a method that is switched off is not charged through'),
  id: 'credential.card.brand',
  'settings.merchantIdentificationNumber': 'merchant.merchantIdentificationNumber',
  'settings.terminalNumber': 'merchant.terminalNumber',
  'settings.paymentProcessor.id': stops('says which adapter is asked'),
  'settings.paymentProcessor.acquirer': 'acquirer',
  'settings.routes.0.paymentProcessor.id': stops('says which adapter is asked'),
  'settings.routes.0.paymentProcessor.acquirer': ofTheRoute,
  'settings.routes.0.merchantIdentificationNumber': ofTheRoute,
  'settings.routes.0.terminalNumber': ofTheRoute,
  'settings.routes.0.conditions.currencies.0': choosesTheRoute,
  'settings.routes.0.conditions.brands.0': choosesTheRoute,
  'settings.routes.0.conditions.amount.from': choosesTheRoute,
  'settings.routes.0.conditions.amount.to': choosesTheRoute,
  'settings.routes.0.conditions.origins.0': choosesTheRoute,
  'settings.routes.0.share': choosesTheRoute,
  'settings.retrySoftDeclines': choosesTheRoute,
  'settings.rut': 'merchant.taxId',
  'settings.merchantCategoryCode': 'merchant.merchantCategoryCode',
  'settings.paymentFacilitator.id': 'merchant.facilitator.id',
  'settings.paymentFacilitator.merchantId': 'merchant.facilitator.subMerchant.id',
};

const pathOf = (at: string): Path => at.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key));

/** Names of the fields that carry something themselves: not the objects and lists around them. */
export const leavesOf = (schema: Parameters<typeof fieldsOf>[0]): string[] =>
  fieldsOf(schema)
    .filter(({ type, path }) => path.length > 0 && type !== 'object' && type !== 'array')
    .map(({ name }) => name);

/** Fields of `sent` that did not arrive in `request` as `ways` says, each with what arrived. */
export function lostFields(ways: Readonly<Record<string, Way>>, sent: unknown, request: unknown): string[] {
  return Object.entries(ways).flatMap(([name, way]) => {
    const value = valueAt(sent, pathOf(name));
    if (value === undefined || value === null || (typeof way === 'object' && 'stops' in way)) return [];
    const { at, as } = typeof way === 'string' ? { at: way, as: (one: unknown) => one } : way;
    const got = valueAt(request, pathOf(at));
    const same = JSON.stringify(got) === JSON.stringify(as(value)) || String(got) === String(as(value));
    return same ? [] : [`${name} does not arrive at ${at}: ${JSON.stringify(got)}`];
  });
}
