/** Process of floor F1, the limit of the database alone: only the two durable writes of a payment, with a fixed concurrency. */
import { answerRequests } from '../child.mjs';
import { paymentRequest } from '../load/payment-request.mjs';
import { runClosedLoop } from './closed-loop.mjs';
import { openCollection, storeAndSettle, toDocument } from './floor-document.mjs';

const collection = await openCollection('floor_driver');

answerRequests({
  run: (order) =>
    runClosedLoop(order, (serial) =>
      storeAndSettle(collection, toDocument(paymentRequest({ reference: `${order.run}-${serial}` }), 'cli_floor')),
    ),
});
