// The wallet's own button. The page also takes cards, so nothing is shown when the wallet's script does not load or the payer cannot
// use the wallet.
const offer = document.getElementById('wallet');
const walletForm = offer?.querySelector('form');
/** @type {HTMLScriptElement | null} */
const script = document.querySelector('#wallet-script');

/**
 * What the wallet's script offers, as far as it is used here.
 * @typedef {object} WalletClient
 * @property {(request: object) => Promise<{ result: boolean }>} isReadyToPay
 * @property {(request: object) => Promise<{ paymentMethodData: { tokenizationData: { token: string } } }>} loadPaymentData
 * @property {(options: object) => HTMLElement} createButton
 */

/**
 * The setting of the installation says where the script puts its class: `wallet.api.Client`.
 * @param {string} path
 * @returns {(new (options: object) => WalletClient) | undefined}
 */
const findClient = (path) => path.split('.').reduce((found, name) => found?.[name], /** @type {any} */ (window));

/** Tokens are sent in base64, as any integrator sends them. @param {string} text */
const toBase64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** One separator between all groups, and a different one before the decimals. */
const GROUPED = /^(\d{1,3}(?:([.,' \u00a0\u202f])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
/** `2000.00` in a currency without decimals, as a suggestion for several currencies is prefilled. */
const ZERO_DECIMALS = /[.,]0{1,2}$/;
/** Thousands, when the currency has no decimals. */
const ONE_GROUP = /^[1-9]\d{0,2}[.,]\d{3}$/;

/**
 * Returns the typed amount as the wallet shows it and the server reads it; undefined when it is no amount or ambiguous.
 * @param {string} text
 * @param {number} decimals
 */
function readTyped(text, decimals) {
  const typed = decimals === 0 ? text.replace(ZERO_DECIMALS, '') : text;
  if (decimals === 0 && ONE_GROUP.test(typed)) return typed.replace(/\D/g, '');
  const [plain, fraction = ''] = /^\d+(?:[.,](\d+))?$/.exec(typed) ?? [];
  if (plain !== undefined) return fraction.length > decimals ? undefined : plain.replace(',', '.');
  const [, whole, , part = ''] = GROUPED.exec(typed) ?? [];
  if (whole === undefined || part.length > decimals) return undefined;
  const digits = whole.replace(/\D/g, '');
  return part === '' ? digits : `${digits}.${part}`;
}

/**
 * Bounds of the amount, and the texts for when it cannot be paid.
 * @typedef {object} AmountCheck
 * @property {string | number} [min]
 * @property {string | number} [max]
 * @property {string} missing
 * @property {string} outside
 * @property {Readonly<Record<string, { decimals: number, unclear: string }>>} currencies
 */

/**
 * Returns the amount that the payer typed, or what is wrong with it: after the wallet's confirmation it must not be refused.
 * @param {string} text
 * @param {string} currency
 * @param {AmountCheck} check
 * @returns {{ totalPrice: string, problem?: undefined } | { problem: string }}
 */
function readAmount(text, currency, { min, max, missing, outside, currencies }) {
  const typed = text.trim();
  if (typed === '') return { problem: missing };
  const rules = currencies[currency];
  const totalPrice = rules && readTyped(typed, rules.decimals);
  if (totalPrice === undefined) return { problem: rules?.unclear ?? missing };
  const amount = Number(totalPrice);
  if (amount === 0) return { problem: missing };
  if (amount < Number(min ?? 0) || amount > Number(max ?? Infinity)) return { problem: outside };
  return { totalPrice };
}

/** The control of that name, which the form always has. @param {HTMLFormElement} form @param {string} name */
const controlOf = (form, name) => /** @type {HTMLInputElement | HTMLSelectElement} */ (form.elements.namedItem(name));

/**
 * Adds the amount to the request when the payer chooses it.
 * @param {{ transactionInfo?: object }} request
 * @param {HTMLFormElement} form
 * @returns {{ wanted: object, problem?: undefined } | { wanted?: undefined, problem: string }}
 */
function priced(request, form) {
  /** @type {HTMLInputElement | null} */
  const total = document.querySelector('#total');
  if (!total?.form || !form.dataset.amount) return { wanted: request };
  const currencyCode = controlOf(total.form, 'currency').value;
  const read = readAmount(total.value, currencyCode, JSON.parse(form.dataset.amount));
  if (read.problem !== undefined) {
    total.focus();
    return { problem: read.problem };
  }
  const { totalPrice } = read;
  controlOf(form, 'total').value = totalPrice;
  controlOf(form, 'currency').value = currencyCode;
  return { wanted: { ...request, transactionInfo: { ...request.transactionInfo, totalPrice, currencyCode } } };
}

/**
 * A wallet that asks for an address also asks what changes with it: nothing, because the amount is fixed or the payer's choice.
 * @param {{ callbackIntents?: readonly string[] }} request
 */
const callbacksFor = ({ callbackIntents }) =>
  callbackIntents && { paymentDataCallbacks: { onPaymentDataChanged: async () => ({}) } };

/**
 * Shows the wallet's button if the payer can use the wallet.
 * @param {HTMLElement} offer
 * @param {HTMLFormElement} form
 * @param {string} nonce whatever the wallet's script puts into the page must carry it: otherwise the page's policy refuses it
 */
async function start(offer, form, nonce) {
  const Client = findClient(form.dataset.client ?? '');
  if (!Client) return;
  const { environment, ...request } = JSON.parse(form.dataset.request ?? '');
  const { merchantInfo, apiVersion, apiVersionMinor, allowedPaymentMethods } = request;
  const client = new Client({ environment, merchantInfo, nonce, ...callbacksFor(request) });
  const ready = await client.isReadyToPay({ apiVersion, apiVersionMinor, allowedPaymentMethods });
  if (!ready.result) return;

  const problem = /** @type {Element} */ (form.querySelector('.err'));
  let asking = false;
  const pay = async () => {
    if (asking || form.dataset.sent) return;
    const { wanted, problem: wrong = '' } = priced(request, form);
    problem.textContent = wrong;
    if (!wanted) return;
    asking = true;
    try {
      // Must be called within the payer's click: otherwise the browser blocks the wallet's window.
      const { paymentMethodData } = await client.loadPaymentData(wanted);
      controlOf(form, 'walletToken').value = toBase64(paymentMethodData.tokenizationData.token);
      form.requestSubmit();
    } catch (error) {
      const { statusCode } = /** @type {{ statusCode?: unknown }} */ (error ?? {});
      if (statusCode !== 'CANCELED') problem.textContent = form.dataset.failed ?? '';
    }
    asking = false;
  };
  const button = client.createButton({
    onClick: pay,
    buttonType: 'pay',
    buttonSizeMode: 'fill',
    buttonLocale: document.documentElement.lang,
    allowedPaymentMethods,
  });
  form.querySelector('.wallet-own')?.append(button);
  offer.hidden = false;
}

if (offer && walletForm && script) {
  // If the wallet fails, the payer need not know.
  const begin = () => start(offer, walletForm, script.nonce).catch(() => undefined);
  // The wallet's script may have loaded before this file, or loads later.
  if (findClient(walletForm.dataset.client ?? '')) begin();
  else script.addEventListener('load', begin);
}
