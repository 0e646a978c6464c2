/**
 * A script of a wallet as its pages load it, from an origin of its own: a class with the methods of the real one. It puts a
 * style of its own into the page, loads a picture, opens a frame and asks its server, as far as the policy of the page lets it.
 */
import { type Receiver, startReceiver } from '../outbound/receiver.js';

export type WalletMood = 'pays' | 'not-ready' | 'cancels' | 'fails' | 'throws' | 'away';

export interface MockWallet {
  readonly origin: string;
  readonly scriptUrl: string;
  /** What it does with the next page. */
  mood: WalletMood;
  /** Tokens that it hands over, the first one first: the JSON as text. */
  readonly tokens: string[];
  /** Paths that it was asked for, without the script. */
  asked(): string[];
  close(): Promise<void>;
}

const script = (origin: string, mood: WalletMood) => `
(() => {
  const origin = ${JSON.stringify(origin)};
  const mood = ${JSON.stringify(mood)};
  const seen = (window.walletSeen = { options: undefined, ready: undefined, requests: [] });
  class PaymentsClient {
    constructor(options) {
      seen.options = options;
      seen.callbacks = Object.keys(options.paymentDataCallbacks ?? {});
    }
    async isReadyToPay(request) {
      seen.ready = request;
      await fetch(origin + '/ready');
      return { result: mood !== 'not-ready' };
    }
    createButton({ onClick, buttonLocale }) {
      const style = document.createElement('style');
      if (seen.options.nonce) style.setAttribute('nonce', seen.options.nonce);
      style.textContent = '.their-button { width: 100%; height: 100%; background: rgb(1, 2, 3); color: #fff; }';
      document.head.append(style);
      const frame = document.createElement('iframe');
      frame.src = origin + '/frame';
      frame.title = 'wallet';
      frame.hidden = true;
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'their-button';
      button.lang = buttonLocale;
      button.textContent = 'Wallet A';
      button.addEventListener('click', onClick);
      const picture = new Image(16, 16);
      picture.src = origin + '/picture.svg';
      picture.alt = '';
      button.append(picture);
      const box = document.createElement('div');
      box.className = 'their-button';
      box.append(button, frame);
      return box;
    }
    async loadPaymentData(request) {
      seen.requests.push(request);
      if (!navigator.userActivation.isActive) throw Object.assign(new Error(), { statusCode: 'BLOCKED' });
      await new Promise((resolve) => setTimeout(resolve, 150));
      if (request.callbackIntents) {
        const change = { callbackTrigger: 'SHIPPING_ADDRESS', shippingAddress: { countryCode: 'UY', locality: 'Montevideo' } };
        seen.shipping = await seen.options.paymentDataCallbacks.onPaymentDataChanged(change);
      }
      if (mood === 'cancels') throw Object.assign(new Error(), { statusCode: 'CANCELED' });
      if (mood === 'fails') throw Object.assign(new Error(), { statusCode: 'DEVELOPER_ERROR' });
      if (mood === 'throws') throw undefined;
      const { totalPrice, currencyCode } = request.transactionInfo;
      const token = await (await fetch(origin + '/token?' + currencyCode + totalPrice)).text();
      return { apiVersion: 2, paymentMethodData: { type: 'CARD', tokenizationData: { type: 'PAYMENT_GATEWAY', token } } };
    }
  }
  window.wallet = { api: { PaymentsClient } };
})();`;

export async function startMockWallet(): Promise<MockWallet> {
  const tokens: string[] = [];
  let server: Receiver | undefined;
  const wallet = { mood: 'pays' as WalletMood };
  server = await startReceiver(({ url }, response) => {
    const answer = (type: string, body: string, status = 200) => {
      response.writeHead(status, { 'content-type': type, 'access-control-allow-origin': '*' });
      response.end(body);
    };
    if (url === '/wallet.js' && wallet.mood !== 'away') {
      return answer('text/javascript', script(new URL(server?.url ?? '').origin, wallet.mood));
    }
    if (url === '/ready') return answer('text/plain', 'yes');
    if (url?.startsWith('/token')) return answer('text/plain', tokens.shift() ?? 'none');
    if (url === '/frame') return answer('text/html', '<!doctype html><title>wallet</title>');
    if (url === '/picture.svg') return answer('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    return answer('text/plain', 'nothing', 404);
  });
  const origin = new URL(server.url).origin;
  return Object.assign(wallet, {
    origin,
    scriptUrl: `${origin}/wallet.js`,
    tokens,
    asked: () => (server?.received ?? []).map(({ url }) => url).filter((url) => url !== '/wallet.js'),
    close: async () => server?.close(),
  });
}
