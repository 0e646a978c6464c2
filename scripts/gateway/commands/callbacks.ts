import { ProvisioningError } from '../../../shared/provisioning/provisioning.js';
import { createDeliveryRepository } from '../../../shared/store/delivery.repository.js';
import { createPaymentRepository } from '../../../shared/store/payment.repository.js';
import type { CommandGroup } from '../command.js';

const paymentWord = { name: 'payment', about: 'Id of the payment: pay_…' };

export const callbacks: CommandGroup = {
  name: 'callbacks',
  summary: 'What was announced about a payment, and announcing it again.',
  commands: [
    {
      path: ['callbacks', 'list'],
      summary: 'Shows the events of a payment and how far they came.',
      words: [paymentWord],
      examples: ['callbacks list pay_…'],
      async run(input, { database }) {
        const payment = input.word('payment');
        const found = await createDeliveryRepository(database).findByPayment(payment);
        if (found.length === 0 && !(await createPaymentRepository(database, false).findById(payment))) {
          throw new ProvisioningError(`There is no payment ${payment}.`);
        }
        return {
          kind: 'rows',
          rows: found.map(({ eventId, seq, state, tries, host, createdAt, dueAt, attempts }) => {
            const last = attempts.at(-1);
            return {
              eventId,
              seq,
              state,
              tries,
              host,
              createdAt,
              dueAt: state === 'waiting' ? dueAt : null,
              lastAnswer: last?.status ?? last?.error ?? null,
            };
          }),
          empty: `Nothing was announced about ${payment}: its caller was told everything, or it has no callbackUrl.`,
        };
      },
    },
    {
      path: ['callbacks', 'replay'],
      summary: 'Sends an event again, from the start of its schedule, with the body as it was.',
      details: 'Of an event that was delivered, exhausted or ended; one that still waits is on its way anyway.',
      words: [paymentWord, { name: 'event', about: 'Id of the event: evt_…' }],
      examples: ['callbacks replay pay_… evt_…'],
      async run(input, { database, provisioning, record }) {
        const [paymentId, eventId] = [input.word('payment'), input.word('event')];
        const deliveries = createDeliveryRepository(database);
        const delivery = (await deliveries.findByPayment(paymentId)).find((known) => known.eventId === eventId);
        if (!delivery) throw new ProvisioningError(`Payment ${paymentId} has no event ${eventId}.`);
        if ((await deliveries.replay(paymentId, eventId, provisioning.clock.now())) === undefined) {
          throw new ProvisioningError(`Event ${eventId} still waits to be sent: there is nothing to replay.`);
        }
        await record({ action: 'callback.replayed', object: `${paymentId}/${eventId}`, clientId: delivery.clientId });
        return {
          kind: 'record',
          done: `Event ${eventId} will be sent again.`,
          record: { paymentId, eventId, state: 'waiting' },
          note: 'A callback worker takes it within two seconds.',
        };
      },
    },
  ],
};
