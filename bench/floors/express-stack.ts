/**
 * Process of floor F4, the limit of the HTTP tier alone: the gateway's own application, including authentication and validation,
 * with a handler that answers without storing anything. It runs from source, because no built program has these modules alone. It is
 * TypeScript, so that the compiler sees when it no longer fits the application.
 */
import { createAppOf } from '../../api/app.js';
import { connectApi } from '../../api/connect.js';
import { createServer, listen } from '../../api/http/server.js';
import { createPaymentEndpoint } from '../../api/payments/create-payment.js';
import { approvedPayment } from '../../api/payments/payment-examples.js';
import { loadConfig } from '../../config/index.js';
import { createLog } from '../../shared/log.js';

const config = loadConfig();
const log = createLog('floor', config.logLevel);
const { deps } = await connectApi(config, log, new AbortController().signal);
const stubbed = { ...createPaymentEndpoint, handle: () => approvedPayment };
await listen(
  createServer(createAppOf([stubbed], deps), config.responseWaitMs),
  Number(process.env.FLOOR_PORT),
  '127.0.0.1',
);
process.send?.({ ready: true });
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
