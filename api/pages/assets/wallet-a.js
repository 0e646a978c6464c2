// The wallet's own button. The page has cards without it: where the wallet's script does not load, or knows nothing of this
// payer, nothing is shown.
const offer = document.getElementById('wallet');
const script = document.getElementById('wallet-script');

/** `wallet.api.Client` is where the setting of the installation says that the script puts its class. */
const findClient = (path) => path.split('.').reduce((found, name) => found?.[name], window);

/** Tokens are sent as every integrator sends them: in base64. */
const toBase64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** One separator of groups throughout, and another one before the decimals. */
const GROUPED = /^(\d{1,3}(?:([.,' \u00a0\u202f])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d{1,2}))?$/;

/** What was typed, as the wallet shows it and the server receives it; undefined where it is no amount, or could be read in two ways. */
function readTyped(text) {
  const typed = text.trim();
  if (/^\d+(?:[.,]\d{1,2})?$/.test(typed)) return typed.replace(',', '.');
  const [, whole, , decimals] = GROUPED.exec(typed) ?? [];
  // A single separator before three digits may be either.
  if (whole === undefined || (decimals === undefined && /^\d+[.,]\d+$/.test(typed))) return undefined;
  const digits = whole.replace(/\D/g, '');
  return decimals === undefined ? digits : `${digits}.${decimals}`;
}

/** The request with the amount that the payer says, where it is the payer's to say. */
function priced(request, form) {
  const total = document.getElementById('total');
  if (!total || !form.elements.total) return request;
  const totalPrice = readTyped(total.value);
  if (totalPrice === undefined) {
    total.focus();
    return undefined;
  }
  const currencyCode = total.form.elements.currency.value;
  form.elements.total.value = totalPrice;
  form.elements.currency.value = currencyCode;
  return { ...request, transactionInfo: { ...request.transactionInfo, totalPrice, currencyCode } };
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
    const wanted = priced(request, form);
    problem.textContent = wanted ? '' : form.dataset.noAmount;
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
