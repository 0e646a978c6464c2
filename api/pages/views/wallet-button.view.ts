import { type Html, html } from '../html.js';
import { type Language, textsOf } from '../language.js';

/** Value of `action` of its form. */
export const PAY_BY_WALLET = 'wallet-a';
/** Id of the wallet's own script, by which `wallet-a.js` finds it. */
export const WALLET_SCRIPT_ID = 'wallet-script';

/** The wallet's own script in a page. */
export interface WalletGuest {
  readonly url: string;
  readonly client: string;
  /** What it is asked for: sent to the script as it is. */
  readonly request: object;
  readonly nonce: string;
}

interface WalletButtonModel {
  readonly language: Language;
  readonly attempt: number;
  readonly formToken: string;
  readonly wallet?: 'pretend' | WalletGuest | undefined;
}

const pretendButton = (language: Language): Html => {
  const texts = textsOf[language];
  return html`<button class="btn wallet full" type="submit" name="action" value="${PAY_BY_WALLET}">${texts.payByWallet}</button>
<p class="hint">${texts.pretendWallet}</p>`;
};

const ownButton = html`<input type="hidden" name="action" value="${PAY_BY_WALLET}"><input type="hidden" name="walletToken">
<div class="wallet-own"></div>
<p class="err" role="alert"></p>`;

/**
 * The wallet's button, in a form of its own: what is typed below it is not sent. In the sandbox it pretends: no wallet is
 * opened, and the token is minted by the gateway. In production `wallet-a.js` puts the wallet's own there, and nothing is seen
 * of it until the wallet's script says that the payer can pay with it.
 */
export function walletButton({ language, attempt, formToken, wallet }: WalletButtonModel): Html | false {
  if (!wallet) return false;
  const { orByCard, walletFailed } = textsOf[language];
  const or = html`<p class="or">${orByCard}</p>`;
  const proofs = html`<input type="hidden" name="form" value="${formToken}"><input type="hidden" name="attempt" value="${attempt}">`;
  if (wallet === 'pretend') {
    return html`<form class="near" method="post" data-once>${proofs}
${pretendButton(language)}
</form>
${or}`;
  }
  const { client, request } = wallet;
  return html`<div class="stack" id="wallet" hidden>
<form class="near" method="post" data-once data-client="${client}" data-request="${JSON.stringify(request)}" data-failed="${walletFailed}">${proofs}
${ownButton}
</form>
${or}
</div>`;
}
