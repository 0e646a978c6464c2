import { type Html, html } from '../html.js';
import { type Language, textsOf } from '../language.js';

interface WalletButtonModel {
  readonly language: Language;
  readonly attempt: number;
  readonly formToken: string;
}

/** Value of `action` of its form. */
export const PAY_BY_WALLET = 'wallet-a';

/**
 * The wallet's button, in a form of its own: what is typed below it is not sent. In the sandbox it pretends: no wallet is
 * opened, and the token is minted by the gateway.
 */
export function walletButton({ language, attempt, formToken }: WalletButtonModel): Html {
  const texts = textsOf[language];
  return html`<form class="near" method="post" data-once>
<input type="hidden" name="form" value="${formToken}"><input type="hidden" name="attempt" value="${attempt}">
<button class="btn wallet full" type="submit" name="action" value="${PAY_BY_WALLET}">${texts.payByWallet}</button>
<p class="hint">${texts.pretendWallet}</p>
</form>
<p class="or">${texts.orByCard}</p>`;
}
