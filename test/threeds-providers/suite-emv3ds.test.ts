/** The suite of 3DS providers, with the mock 3D Secure server. */
import { cardEnding } from '../../scripts/sandbox/threeds-server/cases.js';
import { startThreeDsServer } from '../../scripts/sandbox/threeds-server/start-threeds-server.js';
import { createEmv3dsProvider } from '../../shared/threeds-providers/emv3ds/create-emv3ds-provider.js';
import { providerSuite } from './provider-suite.js';

const apiKey = 'key-of-the-suite';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

providerSuite('emv3ds', async () => {
  const server = await startThreeDsServer({ port: 0, apiKey });
  return {
    address: server.url,
    connect: (url, timeoutMs) =>
      createEmv3dsProvider({
        url,
        apiKey,
        apiKeyHeader: 'APIKey',
        requestor: { url: 'https://gateway.example' },
        timeoutMs,
      }),
    cards: {
      Y: cardEnding('2103'),
      A: cardEnding('2123'),
      N: cardEnding('2113'),
      R: cardEnding('2133'),
      U: cardEnding('2153'),
      challenge: cardEnding('2172'),
      error: cardEnding('2163'),
      method: cardEnding('2003'),
      noMethod: cardEnding('2103'),
    },
    metadata: {
      acquirerBin: '400000',
      acquirerMerchantId: '77',
      merchantCategoryCode: '5411',
      merchantCountryCode: '858',
    },
    isProofPath: (url) => /^\/(auth|postauth)$/.test(url),
    // Written by hand from the reference, without the adapter's own schema.
    isWholeProof(json, original) {
      const proof = (json ?? {}) as Readonly<Record<string, unknown>>;
      const text = (name: string) => (typeof proof[name] === 'string' ? (proof[name] as string) : '');
      const ofAnswer =
        text('messageType') === 'ARes'
          ? text('acsReferenceNumber') !== '' && text('dsReferenceNumber') !== ''
          : text('messageType') === 'RReq' &&
            text('messageCategory') === '01' &&
            // Ids are the same in upper and lower case (RFC 9562).
            text('acsTransID').toLowerCase() === original['acsTransID'] &&
            text('dsTransID').toLowerCase() === original['dsTransID'];
      return (
        ofAnswer &&
        ['Y', 'A'].includes(text('transStatus')) &&
        text('threeDSServerTransID').toLowerCase() === original['threeDSServerTransID'] &&
        text('messageVersion') === '2.2.0' &&
        UUID.test(text('dsTransID')) &&
        UUID.test(text('acsTransID')) &&
        /^[A-Za-z0-9+/]+=*$/.test(text('authenticationValue')) &&
        text('authenticationValue').length === 28 &&
        Buffer.from(text('authenticationValue'), 'base64').length === 20 &&
        (proof['eci'] === undefined || /^\d\d$/.test(text('eci')))
      );
    },
    close: () => server.close(),
  };
});
