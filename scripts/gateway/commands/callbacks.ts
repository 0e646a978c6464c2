import type { Database } from '../../../shared/store/database.js';
import { createDeliveryRepository } from '../../../shared/store/delivery.repository.js';
import { createPaymentRepository } from '../../../shared/store/payment.repository.js';
import { createSessionRepository } from '../../../shared/store/session.repository.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import type { CommandGroup } from '../command.js';

const ownerWord = { name: 'about', about: 'Id of the payment (pay_…) or the tokenization session (ses_…).' };

const isKnown = async (database: Database, id: string) =>
  (await createPaymentRepository(database, false).findById(id)) ??
  (await createSessionRepository(database).findById(id));

export const callbacks: CommandGroup = {
  name: 'callbacks',
  summary: 'What was announced about a payment or a tokenization, and announcing it again.',
  commands: [
    {
      path: ['callbacks', 'list'],
      reads: true,
      summary: 'Shows the events of a payment or a tokenization session and how far they came.',
      words: [ownerWord],
      examples: ['callbacks list pay_…', 'callbacks list ses_…'],
      async run(input, { database }) {
        const about = input.word('about');
        const found = await createDeliveryRepository(database).findByPayment(about);
        if (found.length === 0 && !(await isKnown(database, about))) {
          throw new ProvisioningError(`There is no payment or session ${about}.`);
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
          empty: `Nothing was announced about ${about}: its caller got everything, or it has no address for callbacks.`,
        };
      },
    },
    {
      path: ['callbacks', 'replay'],
      summary: 'Sends an event again, from the start of its schedule, with the body as it was.',
      details: 'Of an event that was delivered, exhausted or ended; one that still waits is on its way anyway.',
      words: [ownerWord, { name: 'event', about: 'Id of the event: evt_…' }],
      examples: ['callbacks replay pay_… evt_…'],
      async run(input, { database, provisioning, record }) {
        const [about, eventId] = [input.word('about'), input.word('event')];
        const deliveries = createDeliveryRepository(database);
        const delivery = (await deliveries.findByPayment(about)).find((known) => known.eventId === eventId);
        if (!delivery) throw new ProvisioningError(`There is no event ${eventId} of ${about}.`);
        if ((await deliveries.replay(about, eventId, provisioning.clock.now())) === undefined) {
          throw new ProvisioningError(`Event ${eventId} still waits to be sent: there is nothing to replay.`);
        }
        await record({
          ...{ action: 'callback.replayed', object: `${about}/${eventId}`, clientId: delivery.clientId },
          ...(about.startsWith('pay_') && { paymentId: about }),
        });
        return {
          kind: 'record',
          done: `Event ${eventId} will be sent again.`,
          record: { about, eventId, state: 'waiting' },
          note: 'A callback worker takes it within two seconds.',
        };
      },
    },
  ],
};
