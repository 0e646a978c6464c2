import { limits } from '../../../config/limits.js';
import { renderCallback } from '../../../shared/contract/present-payment.js';
import { routeOf } from '../../../shared/domain/payment/attempts.js';
import type { ProcessorContext } from '../../../shared/domain/payment/plan-context.js';
import { makeSchedule } from '../../../shared/domain/schedule.js';
import { newTransactionId } from '../../../shared/ids.js';
import { isProcessorCode } from '../../../shared/processors/capabilities.js';
import { capabilityTable } from '../../../shared/processors/capability-table.js';
import { createPaymentRepository } from '../../../shared/store/payment.repository.js';
import { outcomesByHand, planByHand } from '../../provisioning/plan-by-hand.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import { type CommandGroup, UsageError } from '../command.js';

const settlePath = ['payments', 'settle'];
const noTraits = { dedupes: false, tombstones: false, refundNeedsPan: false };

export const payments: CommandGroup = {
  name: 'payments',
  summary: 'Payments that need a person.',
  commands: [
    {
      path: settlePath,
      summary:
        'Ends an operation as the processor says when a person asks, where the gateway cannot find out what became of it.',
      details:
        'Only of an operation that is asked about and has an alert. The payment changes as by an answer of the processor, and its merchant is called back; nothing is sent to the processor. `failed` says that it has no effect there: a refund or capture can be asked for again then.',
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
        const said = outcomesByHand.find((one) => one === input.text('outcome'));
        if (!said) throw new UsageError(`--outcome is ${outcomesByHand.join(' or ')}.`, settlePath);
        const repository = createPaymentRepository(database, false);
        const payment = await repository.findById(paymentId);
        if (!payment) throw new ProvisioningError(`There is no payment ${paymentId}.`);
        const { processor } = routeOf(payment, txId);
        const context: ProcessorContext = {
          now: provisioning.clock.now(),
          renderCallback,
          schedule: makeSchedule(limits, config as Parameters<typeof makeSchedule>[1]),
          newTxId: newTransactionId,
          traits: isProcessorCode(processor) ? capabilityTable[processor] : noTraits,
        };
        let reason = 'the payment is gone';
        let isDone = false;
        const settled = await repository.update(payment, (current) => {
          const planned = planByHand(current, txId, said, context);
          isDone = planned.kind === 'imported';
          if (planned.kind === 'imported') return planned.payment;
          reason = planned.reason;
          return undefined;
        });
        if (!isDone || !settled) throw new ProvisioningError(`${txId} is not settled: ${reason}.`);
        const { clientId, merchantId, status } = settled;
        await record({ action: 'payment.settled', object: `${paymentId}/${txId} ${said}`, clientId, merchantId });
        return {
          kind: 'record',
          done: `${txId} is settled as ${said}; the payment is ${status}.`,
          record: { paymentId, transactionId: txId, settledAs: said, status },
        };
      },
    },
  ],
};
