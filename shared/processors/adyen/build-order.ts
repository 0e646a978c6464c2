/** Builds the description of the order. It moves no money, so values that Adyen cannot read are left out. Pure. */
import { Decimal } from 'decimal.js';
import { defined } from '../../domain/defined.js';
import { findCurrency } from '../../domain/money/currency.js';
import { toAscii } from '../../domain/plain-text.js';
import type { ProcessorItem, ProcessorOrder } from '../processor.js';
import { adyenExponents } from './currency.js';
import type { AdyenLineItem, AdyenPayment } from './wire.js';

/** The length that Adyen recommends at most, because issuers cut longer texts. */
const STATEMENT_MAX = 22;

/** Writes accented letters as plain ones, and replaces other characters that Adyen does not accept by spaces. */
const statementOf = (descriptor: string): string | undefined =>
  toAscii(descriptor, ' ')
    .replace(/[^a-zA-Z0-9 .,'_\-?+*/]/g, ' ')
    .slice(0, STATEMENT_MAX)
    .trim() || undefined;

function minorOf(decimal: string, currency: string): number | undefined {
  const exponent = adyenExponents[currency] ?? findCurrency(currency)?.exponent ?? 2;
  const minor = new Decimal(decimal).times(new Decimal(10).pow(exponent)).round().toNumber();
  return Number.isSafeInteger(minor) ? minor : undefined;
}

const lineItem =
  (currency: string) =>
  ({ referenceId, name, quantity, price, tax }: ProcessorItem): AdyenLineItem => ({
    description: name,
    quantity,
    ...defined({
      id: referenceId,
      amountIncludingTax: minorOf(price, currency),
      taxAmount: tax?.currency === currency ? minorOf(tax.amount, currency) : undefined,
    }),
  });

type Description = Pick<AdyenPayment, 'shopperStatement' | 'merchantOrderReference' | 'lineItems' | 'metadata'>;

export const descriptionOf = (order: ProcessorOrder, currency: string): Description =>
  defined({
    merchantOrderReference: order.referenceId,
    shopperStatement: order.statementDescriptor === undefined ? undefined : statementOf(order.statementDescriptor),
    lineItems: order.items?.map(lineItem(currency)),
    metadata: order.fields,
  });
