/** A route of a merchant's payment method: one of the acquirers that its payments may go to (docs/routing.md). */
import { defined } from '../defined.js';
import type { CardOrigin } from '../instrument/payment-instrument.js';
import type { CardBrand } from '../payment-method-catalog.js';

/** All that are given have to be met. */
export interface RouteConditions {
  /** ISO 4217 alphabetic codes. */
  readonly currencies?: readonly string[];
  readonly brands?: readonly CardBrand[];
  /** Decimal text in the currency of the payment: at least `from`, less than `to`. Goes with `currencies`. */
  readonly amount?: { readonly from?: string; readonly to?: string };
  /** Where the card was issued; a card that the BIN table does not know meets neither. */
  readonly origins?: readonly CardOrigin[];
}

export interface Route {
  readonly paymentProcessor: { readonly id: string; readonly acquirer: string };
  /** Absent: those of the settings. */
  readonly merchantIdentificationNumber?: string;
  readonly terminalNumber?: string;
  readonly conditions?: RouteConditions;
  /** Percent of the payments that it is the first route of; the rest goes to the first route without a share. */
  readonly share?: number;
}

/** Where a route leads, as a payment keeps it. */
export interface RouteTarget {
  readonly processor: string;
  readonly acquirer: string;
  readonly merchantIdentificationNumber?: string;
  readonly terminalNumber?: string;
}

/** What holds a target among other things: a payment, a candidate, the settings of a method. */
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

/** What tells routes apart, wherever they are configured: merchants share it. */
export const routeKeyOf = ({ processor, acquirer }: Pick<RouteTarget, 'processor' | 'acquirer'>): string =>
  `${processor}/${acquirer}`;
