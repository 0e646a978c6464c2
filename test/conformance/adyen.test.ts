/** `adyen` against a server that answers according to Adyen's documentation, with the notifications of its outcomes. */
import { adyenCredentials, createAdyenProcessor } from '../../shared/processors/adyen/create-adyen-processor.js';
import { createAdyenUpdateReader } from '../../shared/processors/adyen/read-adyen-update.js';
import type { Definitive } from '../../shared/processors/processor.js';
import type { OutcomeUpdate } from '../../shared/processors/updates.js';
import { keepingLog } from '../processors/keeping-log.js';
import { cardOf } from '../processors/sandbox/sandbox-harness.js';
import { account, notificationBody, startAdyen } from '../support/adyen/server.js';
import { describeProcessor } from './processor-suite.js';
import type { ProcessorHarness } from './suite.js';

const tampered = {
  key: (answer: object) => ({
    ...answer,
    ...('merchantReference' in answer && { merchantReference: 'txn_another' }),
    ...('reference' in answer && { reference: 'txn_another' }),
  }),
  amount: (answer: object) => ({ ...answer, amount: { value: 999_999, currency: 'USD' } }),
  currency: (answer: object) => ({ ...answer, amount: { value: 1_000, currency: 'EUR' } }),
};

async function makeHarness(): Promise<ProcessorHarness> {
  const server = await startAdyen();
  const log = keepingLog();
  const reader = createAdyenUpdateReader({ hmacKeys: account.hmacKey });

  /** Returns the outcome in the newest notification of a key, read as the gateway reads it. */
  async function notified(key: string): Promise<Definitive> {
    const body = Buffer.from(notificationBody(server.notifications));
    const answer = await reader.read({ body, headers: {}, now: new Date() });
    if (answer.kind !== 'verified') throw new Error(answer.internal);
    const update = answer.updates.findLast((known) => known.kind === 'outcome' && known.key === key);
    if (!update) throw new Error(`no notification of ${key}`);
    return (update as OutcomeUpdate).outcome as Definitive;
  }

  return {
    address: server.url,
    connect: (baseUrl, timeoutMs) => createAdyenProcessor({ baseUrl, timeoutMs, log }),
    cards: { approved: cardOf('4242424242424242'), declined: cardOf('4000000000000002') },
    currency: 'USD',
    acquirer: 'adyen',
    credentials: Object.fromEntries(adyenCredentials.map((name) => [name, account[name]])),
    unknownReferences: { processorReference: 'UNKNOWN000000000' },
    notifiedOutcome: notified,
    inquiryLagMs: 0,
    books: async () => server.bank.ledger,
    tamper: (field, answer) => JSON.stringify(tampered[field](JSON.parse(answer))),
    logged: log.text,
    close: server.close,
  };
}

describeProcessor('adyen', makeHarness);
