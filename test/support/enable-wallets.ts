/** Both wallets of the sandbox's first merchant, and what its payers order. */
import type { WalletOrder } from '../../api/testing/forge/order.js';
import { pem, walletB } from '../wallets/fixtures.js';

type Call<T> = (method: 'POST' | 'PUT', path: string, body: Record<string, unknown>) => Promise<T>;

export const integrationsPath = '/v1/merchants/1001/wallet-integrations';

/** The certificate that the tokens of wallet-b are made for. */
export const uploadCertificate = <T>(call: Call<T>, name = 'merchant-alpha', more: object = {}): Promise<T> =>
  call('POST', `${integrationsPath}/wallet-b-pay/certificate/upload`, {
    certificate: pem(`${name}.pem`),
    privateKey: pem(`${name}.key.pem`),
    merchantIdentifier: walletB.merchantIdentifier,
    ...more,
  });

/** @returns what the upload of the certificate is answered with */
export async function enableWallets<T>(call: Call<T>): Promise<T> {
  const walletAPayProfile = { walletMerchantName: 'Books', allowedOrigins: ['https://shop.example.com'] };
  await call('PUT', `${integrationsPath}/wallet-a-pay`, { tosAccepted: true, walletAPayProfile });
  await call('PUT', `${integrationsPath}/wallet-b-pay`, {});
  return uploadCertificate(call);
}

/** The thread that opens tokens starts with the first one, which takes a busy machine longer than a call waits: `503`. */
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
