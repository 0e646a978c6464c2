import { limits } from '../../../config/limits.js';
import { createPaymentRepository } from '../../../shared/store/payment.repository.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import { type Command, UsageError } from '../command.js';

const path = ['testing', 'pay-code'];

/** Does without a browser what a payer would do on the mock bank's page. */
export const payCode: Command = {
  path,
  summary: 'Pays the QR code of a payment at the mock bank, or rejects it.',
  details:
    'It also pays when the code has run out, and again when it was paid: the gateway then records the money and flags it for refund.',
  words: [{ name: 'payment', about: 'Id of a payment by bank transfer.' }],
  options: { reject: { about: 'The bank says no.' } },
  examples: ['testing pay-code pay_5f0c2b1d3e4f5a6b7c8d9e0f1a2b3c4d', 'testing pay-code pay_5f0c… --reject'],
  async run(input, { database, provisioning }) {
    if (provisioning.config.environment !== 'testing') {
      throw new ProvisioningError('The mock bank is in the testing environment only.');
    }
    const id = input.word('payment');
    if (!/^pay_[0-9a-f]{32}$/.test(id))
      throw new UsageError('The id of a payment is pay_ and 32 hexadecimal digits.', path);
    const payment = await createPaymentRepository(database, false).findById(id);
    if (!payment?.code) throw new ProvisioningError('Payment not found, or it has no code.');
    const choice = input.flag('reject') ? 'reject' : 'pay';
    const body = new URLSearchParams({ choice });
    const signal = AbortSignal.timeout(limits.sandboxCallMs);
    const answer = await fetch(payment.code.url, { method: 'POST', body, signal }).catch(() => undefined);
    if (!answer?.ok) throw new ProvisioningError('The mock bank does not answer, or does not know the code any more.');
    const done = choice === 'pay' ? 'The mock bank pays.' : 'The mock bank rejects.';
    return { kind: 'record', done, record: { payment: id, choice, status: payment.status } };
  },
};
