/** Bounds of the HTTP server, and of its end: part of `limits.ts`. */
export const httpLimits = {
  jsonBodyBytesMax: 64 * 1024,
  jsonDepthMax: 10,
  arrayItemsMax: 200,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 20_000,
  connectionsCheckingIntervalMs: 2_000,
  keepAliveTimeoutMs: 65_000,
  headersCountMax: 100,
  /** As many as `node:querystring` reads by default. It drops the rest, one of which may be a filter. */
  queryParametersMax: 1_000,
  connectionsMax: 2_000,
  requestsPerSocketMax: 1_000,
  headersBytesMax: 16 * 1024,
  /** A connection without traffic; longer when answers may take longer. */
  socketIdleTimeoutMs: 30_000,
  /** How long browsers remember to use only HTTPS for this host. */
  hstsSeconds: 365 * 24 * 3_600,
  /** `Retry-After` for a condition that ends in a moment, and for waiting on a payment. */
  retryAfterSeconds: 1,
  retryAfterPaymentSeconds: 2,
  basicHeaderBytesMax: 512,
  /** SIGTERM: calls that still wait are answered `pending` after this. */
  drainAnswerMs: 8_000,
  /** SIGTERM: kept-alive connections without a request are closed after this. */
  drainIdleMs: 3_000,
  /** SIGTERM: the process ends after this, whatever still runs. */
  shutdownMs: 12_000,
  /** `/readyz` is open to all: MongoDB is asked again when its last answer is this old. */
  readinessKeptMs: 250,
  pageSizeDefault: 20,
  pageSizeMax: 100,
} as const;
