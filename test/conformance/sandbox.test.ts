import { waits } from '../../scripts/sandbox/simulator/behaviours.js';
import { createSandboxProcessor } from '../../shared/processors/sandbox/create-sandbox-processor.js';
import { type Personality, personalities } from '../../shared/processors/sandbox/wire.js';
import { keepingLog } from '../processors/keeping-log.js';
import { cardOf, startTestSimulator } from '../processors/sandbox/sandbox-harness.js';
import { describeProcessor } from './processor-suite.js';
import type { ProcessorHarness } from './suite.js';

const TIME_SCALE = 20;

const tampered = { key: { key: 'txn_another' }, amount: { amountMinor: 999_999 }, currency: { currency: 'EUR' } };

async function makeHarness(personality: Personality): Promise<ProcessorHarness> {
  const simulator = await startTestSimulator(TIME_SCALE);
  const log = keepingLog();
  return {
    address: simulator.url,
    connect: (baseUrl, timeoutMs) => createSandboxProcessor({ baseUrl, personality, timeoutMs, log }),
    cards: { approved: cardOf('4242424242424242'), declined: cardOf('4000000000000002') },
    currency: 'USD',
    acquirer: 'sandbox',
    inquiryLagMs: personality === 'lagging' ? waits.inquiryLagMs / TIME_SCALE + 5 : 0,
    books: simulator.books,
    tamper: (field, answer) => JSON.stringify({ ...JSON.parse(answer), ...tampered[field] }),
    payCode: (url) => fetch(url, { method: 'POST', body: new URLSearchParams({ choice: 'pay' }) }),
    logged: log.text,
    close: simulator.close,
  };
}

const codes = { idempotent: 'sandbox', forgetful: 'sandbox-forgetful', lagging: 'sandbox-lagging' } as const;
for (const personality of personalities) describeProcessor(codes[personality], () => makeHarness(personality));
