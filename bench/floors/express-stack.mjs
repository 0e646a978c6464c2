/**
 * Process of floor F4, the limit of the HTTP tier alone: the gateway's own application, including authentication and validation,
 * with a handler that answers without storing anything. It runs from source, because no built program has these modules alone.
 */
const at = (/** @type {string} */ path) => new URL(`../../${path}`, import.meta.url).href;
const [
  { createApp },
  { connectApi },
  { createServer, listen },
  { loadConfig },
  { createLog },
  { createPaymentEndpoint },
] = await Promise.all([
  import(at('api/app.ts')),
  import(at('api/connect.ts')),
  import(at('api/http/server.ts')),
  import(at('config/index.ts')),
  import(at('shared/log.ts')),
  import(at('api/payments/create-payment.ts')),
]);

const config = loadConfig();
const log = createLog('floor', config.logLevel);
const { deps } = await connectApi(config, log, new AbortController().signal);
const example = Object.values(createPaymentEndpoint.examples.response[200])[0];
const stubbed = { ...createPaymentEndpoint, handle: () => example };
await listen(
  createServer(createApp(deps, [stubbed]), config.responseWaitMs),
  Number(process.env.FLOOR_PORT),
  '127.0.0.1',
);
process.send?.({ ready: true });
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
