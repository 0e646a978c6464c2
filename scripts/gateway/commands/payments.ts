import { limits } from '../../../config/limits.js';
import { renderCallback } from '../../../shared/contract/present-payment.js';
import { routeOf } from '../../../shared/domain/payment/attempts.js';
import type { ProcessorContext } from '../../../shared/domain/payment/plan-context.js';
import { makeSchedule } from '../../../shared/domain/schedule.js';
import { newTransactionId } from '../../../shared/ids.js';
import { traitsOf } from '../../../shared/processors/capabilities.js';
import { createPaymentRepository } from '../../../shared/store/payment.repository.js';
import { outcomesByHand, planByHand } from '../../provisioning/plan-by-hand.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import type { CommandGroup } from '../command.js';
import { readOneOf } from '../read-values.js';

const settlePath = ['payments', 'settle'];

export const payments: CommandGroup = {
  name: 'payments',
  summary: 'Payments that need a person.',
  commands: [
    {
      path: settlePath,
      summary:
        'Ends an operation as the processor says when a person asks, where the gateway cannot find out what became of it.',
      details:
        'Only of an operation that is asked about, or taken back, and has an alert. The payment changes as by an answer of the processor, and its merchant is called back; nothing is sent to the processor. `failed` says that it has no effect there: a refund or capture can be asked for again then. What is being taken back can only be `failed`.',
      words: [
        { name: 'payment', about: 'Id of the payment: pay_…' },
        { name: 'transaction', about: 'Id of the operation, as the alert names it: txn_…' },
      ],
      options: {
        outcome: { value: '<outcome>', about: `What became of it: ${outcomesByHand.join(' or ')}.`, required: true },
      },
      settings: ['processorTimeoutMs', 'timeScale'],
      examples: ['payments settle pay_… txn_… --outcome approved'],
      async run(input, { database, provisioning, config, record }) {
        const [paymentId, txId] = [input.word('payment'), input.word('transaction')];
        const said = readOneOf(input.text('outcome'), 'outcome', outcomesByHand, settlePath);
        const repository = createPaymentRepository(database, false);
        const payment = await repository.findById(paymentId);
        if (!payment) throw new ProvisioningError(`There is no payment ${paymentId}.`);
        const { processor } = routeOf(payment, txId);
        const context: ProcessorContext = {
          now: provisioning.clock.now(),
          renderCallback,
          schedule: makeSchedule(limits, config as Parameters<typeof makeSchedule>[1]),
          newTxId: newTransactionId,
          traits: traitsOf(processor),
        };
        let refusal: string | undefined;
        const settled = await repository.update(payment, (current) => {
          const planned = planByHand(current, txId, said, context);
          refusal = planned.kind === 'refused' ? planned.reason : undefined;
          return planned.kind === 'settled' ? planned.payment : undefined;
        });
        if (!settled || refusal !== undefined) {
          throw new ProvisioningError(`${txId} is not settled: ${refusal ?? 'the payment is gone'}.`);
        }
        const { clientId, merchantId, status } = settled;
        const object = `${paymentId}/${txId} ${said}`;
        await record({ action: 'payment.settled', object, clientId, merchantId, paymentId });
        return {
          kind: 'record',
          done: `${txId} is settled as ${said}; the payment is ${status}.`,
          record: { paymentId, transactionId: txId, settledAs: said, status },
        };
      },
    },
  ],
};
