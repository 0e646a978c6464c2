/**
 * The mock bank of a payer over HTTP: `GET /bank/<reference>` is the page that the address of a code opens, `POST` takes the payer's
 * choice on it. The page also pays late and twice on request, because tests need these cases.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toDecimalText } from '../../../shared/domain/money/amount.js';
import type { CodeState, Codes, ShownCode } from './codes.js';
import { html, page } from './issuer-pages.js';
import { readText } from './read-request.js';

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

const unknown = ({ response }: Exchange) =>
  page(response, 404, 'Sandbox bank', '<h1>Code not found</h1><p>Go back to the shop and pay again.</p>');

const titles = {
  open: 'Pay by transfer?',
  paid: 'Paid',
  rejected: 'Rejected',
  expired: 'The code has expired',
  cancelled: 'Cancelled by the shop',
} as const satisfies Record<CodeState, string>;

type Button = readonly [choice: 'pay' | 'reject', label: string, hint: string];

const buttons: Readonly<Record<CodeState, readonly Button[]>> = {
  open: [
    ['pay', 'Pay', 'The money arrives at once.'],
    ['reject', 'Reject', 'The bank says no: the payment is denied.'],
  ],
  paid: [['pay', 'Pay a second time', 'Recorded and flagged for refund; the payment stays as it is.']],
  rejected: [],
  expired: [['pay', 'Pay all the same', 'Too late: recorded and flagged for refund; the payment stays expired.']],
  cancelled: [],
};

function amountOf({ operation }: ShownCode): string {
  const { amountMinor, currency } = operation.line;
  return `${currency} ${toDecimalText(amountMinor, currency)}`;
}

function show(response: ServerResponse, shown: ShownCode): void {
  const { state, operation } = shown;
  const choices = buttons[state].map(
    ([choice, label, hint]) => `<button name="choice" value="${choice}">${label}<small>${hint}</small></button>`,
  );
  page(
    response,
    200,
    `Sandbox bank: ${titles[state]}`,
    `<div><p class="small">Sandbox bank, instant transfer</p><h1>${titles[state]}</h1></div>
<dl><dt>To</dt><dd>${html(operation.code?.merchantName ?? '')}</dd><dt>Amount</dt><dd><b>${html(amountOf(shown))}</b></dd>
<dt>Transfers</dt><dd>${operation.transfers.length}</dd></dl>
${choices.length > 0 ? `<form method="post"><div class="choices">${choices.join('')}</div></form>` : ''}`,
  );
}

/** Answers a request for the page of a code. */
export async function routeBank(codes: Codes, reference: string, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  if (request.method === 'POST') {
    const choice = new URLSearchParams(await readText(request)).get('choice');
    if (choice === 'pay') codes.pay(reference);
    if (choice === 'reject') codes.reject(reference);
  }
  const shown = codes.find(reference);
  if (shown) show(response, shown);
  else unknown(exchange);
}
