/** The suite of 3DS providers, with the test issuer. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '../../scripts/sandbox/simulator/start-simulator.js';
import { createSandboxProvider } from '../../shared/threeds-providers/sandbox/create-sandbox-provider.js';
import { cards } from '../support/forms.js';
import { providerSuite } from './provider-suite.js';

providerSuite('sandbox', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'threeds-suite-'));
  const simulator = await startSimulator({ port: 0, ledgerFile: join(folder, 'ledger.jsonl') });
  return {
    address: simulator.url,
    connect: (address, timeoutMs) => createSandboxProvider(address, timeoutMs),
    cards: {
      Y: cards.frictionless,
      A: '4242424242424242',
      challenge: cards.challenge,
      error: cards.lookupError,
      method: cards.methodThenChallenge,
      noMethod: '4242424242424242',
    },
    metadata: { acquirerBin: '400000', acquirerMerchantId: '77' },
    isProofPath: (url) => /areq|results/.test(url),
    isWholeProof(json, original) {
      const proof = (json ?? {}) as Readonly<Record<string, unknown>>;
      return (
        /^(ARes|RReq)$/.test(String(proof['messageType'])) &&
        /^[YA]$/.test(String(proof['transStatus'])) &&
        proof['threeDSServerTransID'] === original['threeDSServerTransID'] &&
        proof['purchaseAmount'] === '12205' &&
        proof['purchaseCurrency'] === '840' &&
        typeof proof['dsTransID'] === 'string'
      );
    },
    async close() {
      await simulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
