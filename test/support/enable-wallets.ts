/** Enables both wallets of the sandbox's first merchant, and describes the orders of its payers. */
import type { WalletOrder } from '../../api/testing/forge/order.js';
import { pem, walletB } from '../wallets/fixtures.js';

type Call<T> = (method: 'POST' | 'PUT', path: string, body: Record<string, unknown>) => Promise<T>;

export const integrationsPath = '/v1/merchants/1001/wallet-integrations';

/** Uploads the certificate that the tokens of wallet-b are made for. */
export const uploadCertificate = <T>(call: Call<T>, name = 'merchant-alpha', more: object = {}): Promise<T> =>
  call('POST', `${integrationsPath}/wallet-b-pay/certificate/upload`, {
    certificate: pem(`${name}.pem`),
    privateKey: pem(`${name}.key.pem`),
    merchantIdentifier: walletB.merchantIdentifier,
    ...more,
  });

/** @returns the answer to the upload of the certificate */
export async function enableWallets<T>(call: Call<T>): Promise<T> {
  const walletAPayProfile = { walletMerchantName: 'Books', allowedOrigins: ['https://shop.example.com'] };
  await call('PUT', `${integrationsPath}/wallet-a-pay`, { tosAccepted: true, walletAPayProfile });
  await call('PUT', `${integrationsPath}/wallet-b-pay`, {});
  return uploadCertificate(call);
}

/** Repeats a payment while it is answered `503`: the thread that opens tokens starts with the first token, slowly on a busy machine. */
export async function untilOpened<A extends { readonly status: number }>(pay: () => Promise<A>): Promise<A> {
  for (;;) {
    const answer = await pay();
    if (answer.status !== 503) return answer;
  }
}

export const walletOrder = (more: Partial<WalletOrder> = {}): WalletOrder => ({
  merchantId: 1001,
  card: '4111111111111111',
  expMonth: 12,
  expYear: 2034,
  auth: 'CRYPTOGRAM_3DS',
  ...more,
});
