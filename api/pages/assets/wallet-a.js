// The wallet's own button. The page also takes cards, so nothing is shown when the wallet's script does not load or the payer cannot
// use the wallet.
const offer = document.getElementById('wallet');
const script = document.getElementById('wallet-script');

/** The setting of the installation says where the script puts its class: `wallet.api.Client`. */
const findClient = (path) => path.split('.').reduce((found, name) => found?.[name], window);

/** Tokens are sent in base64, as any integrator sends them. */
const toBase64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** One separator between all groups, and a different one before the decimals. */
const GROUPED = /^(\d{1,3}(?:([.,' \u00a0\u202f])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
/** `2000.00` in a currency without decimals, as a suggestion for several currencies is prefilled. */
const ZERO_DECIMALS = /[.,]0{1,2}$/;
/** Thousands, when the currency has no decimals. */
const ONE_GROUP = /^[1-9]\d{0,2}[.,]\d{3}$/;

/** Returns the typed amount as the wallet shows it and the server reads it; undefined when it is no amount or ambiguous. */
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

/** Returns the amount that the payer typed, or what is wrong with it: after the wallet's confirmation it must not be refused. */
function readAmount(text, currency, { min, max, missing, outside, currencies }) {
  const typed = text.trim();
  if (typed === '') return { problem: missing };
  const { decimals, unclear } = currencies[currency];
  const totalPrice = readTyped(typed, decimals);
  if (totalPrice === undefined) return { problem: unclear };
  const amount = Number(totalPrice);
  if (amount === 0) return { problem: missing };
  if (amount < Number(min ?? 0) || amount > Number(max ?? Infinity)) return { problem: outside };
  return { totalPrice };
}

/** Adds the amount to the request when the payer chooses it. */
function priced(request, form) {
  const total = document.getElementById('total');
  if (!total || !form.dataset.amount) return { wanted: request };
  const currencyCode = total.form.elements.currency.value;
  const { totalPrice, problem } = readAmount(total.value, currencyCode, JSON.parse(form.dataset.amount));
  if (problem) {
    total.focus();
    return { problem };
  }
  form.elements.total.value = totalPrice;
  form.elements.currency.value = currencyCode;
  return { wanted: { ...request, transactionInfo: { ...request.transactionInfo, totalPrice, currencyCode } } };
}

/** A wallet that asks for an address also asks what changes with it: nothing, because the amount is fixed or the payer's choice. */
const callbacksFor = ({ callbackIntents }) =>
  callbackIntents && { paymentDataCallbacks: { onPaymentDataChanged: async () => ({}) } };

async function start(form) {
  const { environment, ...request } = JSON.parse(form.dataset.request);
  const { merchantInfo, apiVersion, apiVersionMinor, allowedPaymentMethods } = request;
  const Client = findClient(form.dataset.client);
  // Whatever the script puts into the page must carry the nonce: otherwise the page's policy refuses it.
  const client = new Client({ environment, merchantInfo, nonce: script.nonce, ...callbacksFor(request) });
  const ready = await client.isReadyToPay({ apiVersion, apiVersionMinor, allowedPaymentMethods });
  if (!ready.result) return;

  const problem = form.querySelector('.err');
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
      form.elements.walletToken.value = toBase64(paymentMethodData.tokenizationData.token);
      form.requestSubmit();
    } catch (error) {
      if (error?.statusCode !== 'CANCELED') problem.textContent = form.dataset.failed;
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
  form.querySelector('.wallet-own').append(button);
  offer.hidden = false;
}

if (offer && script) {
  // If the wallet fails, the payer need not know.
  const begin = () => start(offer.querySelector('form')).catch(() => undefined);
  // The wallet's script may have loaded before this file, or loads later.
  if (findClient(offer.querySelector('form').dataset.client)) begin();
  else script.addEventListener('load', begin);
}
