/**
 * Process of floor F4, the limit of the HTTP tier alone: the gateway's own application, including authentication and validation,
 * with a handler that answers without storing anything. It runs from source, because no built program has these modules alone.
 */
const sourceUrl = (/** @type {string} */ path) => new URL(`../../${path}`, import.meta.url).href;
const [
  { createAppOf },
  { connectApi },
  { createServer, listen },
  { loadConfig },
  { createLog },
  { createPaymentEndpoint },
] = await Promise.all([
  import(sourceUrl('api/app.ts')),
  import(sourceUrl('api/connect.ts')),
  import(sourceUrl('api/http/server.ts')),
  import(sourceUrl('config/index.ts')),
  import(sourceUrl('shared/log.ts')),
  import(sourceUrl('api/payments/create-payment.ts')),
]);

const config = loadConfig();
const log = createLog('floor', config.logLevel);
const { deps } = await connectApi(config, log, new AbortController().signal);
const example = Object.values(createPaymentEndpoint.examples.response[200])[0];
const stubbed = { ...createPaymentEndpoint, handle: () => example };
await listen(
  createServer(createAppOf([stubbed], deps), config.responseWaitMs),
  Number(process.env.FLOOR_PORT),
  '127.0.0.1',
);
process.send?.({ ready: true });
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
