/** A route of a merchant's payment method: one of the acquirers that its payments may go to (docs/routing.md). */
import { defined } from '../defined.js';
import type { CardOrigin } from '../instrument/payment-instrument.js';
import type { CardBrand } from '../payment-method-catalog.js';

/** All conditions that are set have to be met. */
export interface RouteConditions {
  /** ISO 4217 alphabetic codes. */
  readonly currencies?: readonly string[];
  readonly brands?: readonly CardBrand[];
  /** Decimal text in the currency of the payment: at least `from`, less than `to`. Only together with `currencies`. */
  readonly amount?: { readonly from?: string; readonly to?: string };
  /** Where the card was issued. A card that the BIN table does not know meets no origin. */
  readonly origins?: readonly CardOrigin[];
}

export interface Route {
  readonly paymentProcessor: { readonly id: string; readonly acquirer: string };
  /** Absent: the numbers of the settings. */
  readonly merchantIdentificationNumber?: string;
  readonly terminalNumber?: string;
  readonly conditions?: RouteConditions;
  /** Percent of the payments that try this route first; the rest goes to the first route without a share. */
  readonly share?: number;
}

/** Target of a route, as it is stored with a payment. */
export interface RouteTarget {
  readonly processor: string;
  readonly acquirer: string;
  readonly merchantIdentificationNumber?: string;
  readonly terminalNumber?: string;
}

/** An object that contains a target among other fields: a payment, a candidate, the settings of a method. */
type WithRouteTarget = { readonly [K in keyof RouteTarget]: RouteTarget[K] | undefined } & Pick<
  RouteTarget,
  'processor' | 'acquirer'
>;

export const routeTargetOf = ({
  processor,
  acquirer,
  merchantIdentificationNumber,
  terminalNumber,
}: WithRouteTarget): RouteTarget => ({
  processor,
  acquirer,
  ...defined({ merchantIdentificationNumber, terminalNumber }),
});

/** Returns the key that identifies a route in every configuration: merchants share it. */
export const routeKeyOf = ({ processor, acquirer }: Pick<RouteTarget, 'processor' | 'acquirer'>): string =>
  `${processor}/${acquirer}`;
