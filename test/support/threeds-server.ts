/** The mock 3D Secure server, a gateway's settings for it, and bodies of payments that it can authenticate. */
import {
  startThreeDsServer,
  type ThreeDsServer,
  type ThreeDsServerOptions,
} from '../../scripts/sandbox/threeds-server/start-threeds-server.js';
import { paymentBody, type TestGateway } from './gateway.js';

const API_KEY = '5b1f6c0e-9d1e-4f7c-8a53-2f3f0a6f1c11';

export const startTestServer = (more: Partial<ThreeDsServerOptions> = {}): Promise<ThreeDsServer> =>
  startThreeDsServer({ port: 0, apiKey: API_KEY, ...more });

export const serverSettings = (url: string) => ({
  EMV3DS_URL: url,
  EMV3DS_API_KEY: API_KEY,
  EMV3DS_REQUESTOR_URL: 'https://gateway.example/contact',
  EMV3DS_REQUESTOR_ID: 'requestor-77',
  EMV3DS_REQUESTOR_NAME: 'Example requestor',
});

export const serverMetadata = {
  acquirerBin: '400000',
  acquirerMerchantId: '00002000000',
  merchantCategoryCode: '5411',
  merchantCountryCode: 'UY',
};

/** Data that a browser with scripts reports. */
export const browser = {
  ipAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
  acceptHeader: 'text/html,application/xhtml+xml',
  language: 'es-UY',
  javascriptEnabled: true,
  javaEnabled: false,
  colorDepth: 24,
  screenHeight: 1080,
  screenWidth: 1920,
  timeZoneOffset: 180,
};

export const browserPayment = (
  number: string,
  more: Record<string, unknown> = {},
  card: Record<string, unknown> = {},
): ReturnType<typeof paymentBody> =>
  paymentBody({ browserDetails: browser, redirectUrl: 'https://shop.example/return', ...more }, { number, ...card });

/** Switches 3D Secure on for Visa, for every payment. */
export async function switchOnServer(gateway: Pick<TestGateway, 'call'>, metadata: object = {}): Promise<void> {
  const path = '/v1/merchants/1001/payment-methods/visa/threeds';
  const body = { provider: 'emv3ds', metadata: { ...serverMetadata, ...metadata }, rules: { enabled: false } };
  const made = await gateway.call('POST', path, body);
  const { status } = made.status === 200 ? made : await gateway.call('PUT', path, body);
  if (status !== 200) throw new Error(`the settings were refused: ${JSON.stringify(made.body)}`);
}
