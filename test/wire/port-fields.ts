/** Where the adapter gets each field of a request: the path in the port's request, or why the field goes no further. */
import { fieldsOf, type Path, valueAt } from './schema-walk.js';

type Convert = (sent: unknown) => unknown;

/** A path such as `order.referenceId`; a path and what it carries of the field; or why nothing is carried. */
export type Way = string | { readonly at: string; readonly as: Convert } | { readonly stops: string };

export const moment: Convert = (sent) => new Date(String(sent)).toISOString();
export const stops = (why: string) => ({ stops: why });

export const addressOf = (field: string, at: string): Record<string, Way> =>
  Object.fromEntries(
    ['city', 'country', 'line1', 'line2', 'postalCode', 'state'].map((name) => [`${field}.${name}`, `${at}.${name}`]),
  );

export const own = stops('the merchant’s own: what is meant for the processor goes in paymentMethod.fields');

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
