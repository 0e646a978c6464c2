// The wallet's own button. The page has cards without it: where the wallet's script does not load, or knows nothing of this
// payer, nothing is shown.
const offer = document.getElementById('wallet');
const script = document.getElementById('wallet-script');

/** `wallet.api.Client` is where the setting of the installation says that the script puts its class. */
const findClient = (path) => path.split('.').reduce((found, name) => found?.[name], window);

/** Tokens are sent as every integrator sends them: in base64. */
const toBase64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

async function start(form) {
  const { environment, ...request } = JSON.parse(form.dataset.request);
  const { merchantInfo, apiVersion, apiVersionMinor, allowedPaymentMethods } = request;
  const Client = findClient(form.dataset.client);
  // What the script puts into the page carries the nonce, or the policy of the page refuses it.
  const client = new Client({ environment, merchantInfo, nonce: script.nonce });
  const ready = await client.isReadyToPay({ apiVersion, apiVersionMinor, allowedPaymentMethods });
  if (!ready.result) return;

  const problem = form.querySelector('.err');
  let asking = false;
  const pay = async () => {
    if (asking || form.dataset.sent) return;
    asking = true;
    problem.textContent = '';
    try {
      // Called in the payer's click itself, or the browser would not open the wallet's window.
      const { paymentMethodData } = await client.loadPaymentData(request);
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
