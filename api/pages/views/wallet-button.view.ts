import type { AmountBounds } from '../../../shared/domain/money/amount-range.js';
import { findCurrency } from '../../../shared/domain/money/currency.js';
import { amountExample } from '../amount-problem.js';
import { attribute, type Html, html } from '../html.js';
import { type Language, textsOf } from '../language.js';

/** Value of `action` in the form of the wallet. */
export const PAY_BY_WALLET = 'wallet-a';
/** Id of the wallet's own script, by which `wallet-a.js` finds it. */
export const WALLET_SCRIPT_ID = 'wallet-script';

/** The wallet's own script in a page. */
export interface WalletGuest {
  readonly url: string;
  readonly client: string;
  /** The request to the wallet, passed to the script unchanged. */
  readonly request: object;
  readonly nonce: string;
}

/** The payer chooses the amount; `hint` describes the bounds. */
export interface TypedAmount {
  readonly currencies: readonly string[];
  readonly hint?: string | undefined;
  readonly bounds?: AmountBounds;
}

interface WalletButtonModel {
  readonly language: Language;
  readonly attempt: number;
  readonly formToken: string;
  readonly wallet?: 'mock' | WalletGuest | undefined;
  readonly flexible?: TypedAmount | undefined;
}

/** Id of the form that the payer types into. */
export const TYPED_FORM_ID = 'typed';

/** Renders the button of testing: no wallet opens, and the gateway creates the token. */
function mockButton({ language, flexible }: WalletButtonModel, proofs: Html): Html {
  const texts = textsOf[language];
  const inForm = attribute('form', flexible && TYPED_FORM_ID);
  const button = html`<button class="btn wallet full" type="submit" name="action" value="${PAY_BY_WALLET}"${inForm} formnovalidate>${texts.payByWallet}</button>
<p class="hint">${texts.mockWallet}</p>`;
  return flexible
    ? html`<div class="near">${button}</div>`
    : html`<form class="near" method="post" data-once>${proofs}
${button}
</form>`;
}

/** Returns the data by which the script checks, before the wallet opens, whether an amount can be paid, and the texts for when it cannot. */
function amountCheck(language: Language, { currencies, bounds = {} }: TypedAmount): object {
  const { missingAmount, unclearAmount, wrongAmount } = textsOf[language];
  const byCode = currencies.map((code) => [
    code,
    { decimals: findCurrency(code)?.exponent, unclear: unclearAmount(amountExample(code, language, bounds)) },
  ]);
  const { minAmount: min, maxAmount: max } = bounds;
  return { min, max, missing: missingAmount, outside: wrongAmount, currencies: Object.fromEntries(byCode) };
}

/**
 * Renders the place in which `wallet-a.js` puts the wallet's own button; it stays hidden until the wallet says that the payer can pay with
 * it.
 */
function ownButton({ language, flexible }: WalletButtonModel, { client, request }: WalletGuest, proofs: Html): Html {
  const texts = textsOf[language];
  const amount = html`<input type="hidden" name="total"><input type="hidden" name="currency">`;
  const check = flexible && JSON.stringify(amountCheck(language, flexible));
  return html`<form class="near" method="post" data-once data-client="${client}" data-request="${JSON.stringify(request)}" data-failed="${texts.walletFailed}"${attribute('data-amount', check)}>${proofs}
<input type="hidden" name="action" value="${PAY_BY_WALLET}"><input type="hidden" name="walletToken">${flexible && amount}
<div class="wallet-own"></div>
<p class="err" role="alert"></p>
<p class="hint" role="status" data-working="${texts.working}"></p>
</form>`;
}

/**
 * The wallet's button, in a separate form above the cards, so that values typed below it are not sent. When the payer chooses the
 * amount, it is below the form instead, after the amount.
 */
export function walletButton(model: WalletButtonModel): Html | false {
  const { language, attempt, formToken, wallet, flexible } = model;
  if (!wallet) return false;
  const { orByCard, orByWallet } = textsOf[language];
  const proofs = html`<input type="hidden" name="form" value="${formToken}"><input type="hidden" name="attempt" value="${attempt}">`;
  const button = wallet === 'mock' ? mockButton(model, proofs) : ownButton(model, wallet, proofs);
  const parts = flexible
    ? html`<p class="or">${orByWallet}</p>
${button}`
    : html`${button}
<p class="or">${orByCard}</p>`;
  return wallet === 'mock' ? parts : html`<div class="stack" id="wallet" hidden>${parts}</div>`;
}
