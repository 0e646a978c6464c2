// The wallet's own button. The page has cards without it: where the wallet's script does not load, or knows nothing of this
// payer, nothing is shown.
const offer = document.getElementById('wallet');
const script = document.getElementById('wallet-script');

/** `wallet.api.Client` is where the setting of the installation says that the script puts its class. */
const findClient = (path) => path.split('.').reduce((found, name) => found?.[name], window);

/** Tokens are sent as every integrator sends them: in base64. */
const toBase64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** One separator of groups throughout, and another one before the decimals. */
const GROUPED = /^(\d{1,3}(?:([.,' \u00a0\u202f])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
/** Thousands, where a currency has no decimals. */
const ONE_GROUP = /^[1-9]\d{0,2}[.,]\d{3}$/;

/** What was typed, as the wallet shows it and the server reads it; undefined where it is no amount, or could be read in two ways. */
function readTyped(typed, decimals) {
  if (decimals === 0 && ONE_GROUP.test(typed)) return typed.replace(/\D/g, '');
  const [plain, fraction = ''] = /^\d+(?:[.,](\d+))?$/.exec(typed) ?? [];
  if (plain !== undefined) return fraction.length > decimals ? undefined : plain.replace(',', '.');
  const [, whole, , part = ''] = GROUPED.exec(typed) ?? [];
  if (whole === undefined || part.length > decimals) return undefined;
  const digits = whole.replace(/\D/g, '');
  return part === '' ? digits : `${digits}.${part}`;
}

/** The amount that the payer says, or what is wrong with it: a wallet that was confirmed is not to be refused afterwards. */
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

/** The request with the amount, where it is the payer's to say. */
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

/** A wallet that asks for an address asks what follows from it: nothing, the amount is agreed or the payer's to say. */
const callbacksFor = ({ callbackIntents }) =>
  callbackIntents && { paymentDataCallbacks: { onPaymentDataChanged: async () => ({}) } };

async function start(form) {
  const { environment, ...request } = JSON.parse(form.dataset.request);
  const { merchantInfo, apiVersion, apiVersionMinor, allowedPaymentMethods } = request;
  const Client = findClient(form.dataset.client);
  // What the script puts into the page carries the nonce, or the policy of the page refuses it.
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
      // Called in the payer's click itself, or the browser would not open the wallet's window.
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
  // Without the wallet there is nothing to tell the payer.
  const begin = () => start(offer.querySelector('form')).catch(() => undefined);
  // It may have come before this file, or come later.
  if (findClient(offer.querySelector('form').dataset.client)) begin();
  else script.addEventListener('load', begin);
}
