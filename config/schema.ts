/**
 * Every setting of the gateway, described once. `config/index.ts` reads and checks the settings; `.env.example` and the table in
 * `docs/configuration.md` are generated from this list (`npm run generate`), and a guard test fails when either is stale.
 */

import { pageSettings } from './page-settings.js';
import { processorSettings } from './processor-settings.js';
import { rateSettings } from './rate-settings.js';
import type { Setting } from './setting.js';
import { threeDsServerSettings } from './threeds-settings.js';
import { updateSettings } from './update-settings.js';
import { walletSettings } from './wallet-settings.js';

export type { Setting } from './setting.js';

export const settings = {
  environment: {
    env: 'GATEWAY_ENVIRONMENT',
    kind: 'enum',
    values: ['testing', 'production'],
    default: 'testing',
    about: 'testing or production. A database remembers the environment it was first used in and refuses the other.',
  },
  host: { env: 'HOST', kind: 'string', default: '127.0.0.1', about: 'Address the API listens on.' },
  port: {
    env: 'PORT',
    kind: 'integer',
    default: '8080',
    min: 0,
    max: 65535,
    about: 'Port of the public API. 0 picks a free one.',
  },
  operatorHost: {
    env: 'OPERATOR_HOST',
    kind: 'string',
    default: '127.0.0.1',
    about: 'Address the operator port listens on (health, metrics). Keep it off the public network.',
  },
  operatorPort: {
    env: 'OPERATOR_PORT',
    kind: 'integer',
    default: '9080',
    min: 0,
    max: 65535,
    about:
      'Operator port of the API (health, readiness, metrics). If it is taken, the next free one is used and logged. 0 picks a free one.',
  },
  workerOperatorPort: {
    env: 'WORKER_OPERATOR_PORT',
    kind: 'integer',
    default: '0',
    min: 0,
    max: 65535,
    about:
      'Operator port of a worker (health, metrics). If it is taken, the next free one is used and logged. 0 is off.',
  },
  operatorUser: { env: 'OPERATOR_USER', kind: 'string', default: 'operator', about: 'User name of the operator port.' },
  operatorPassword: {
    env: 'OPERATOR_PASSWORD',
    kind: 'string',
    required: true,
    secret: true,
    about: 'Password of the operator port, at least 16 characters.',
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    kind: 'proxies',
    default: '0',
    about:
      'Trusted proxies in front of the API: their number, or their addresses and networks, comma separated. Required in production, even for 0.',
  },
  publicBaseUrl: {
    env: 'PUBLIC_BASE_URL',
    kind: 'url',
    default: 'http://127.0.0.1:8080',
    about: 'Address under which integrators and payers reach the API. https is required in production.',
  },
  linksUrl: {
    env: 'LINKS_URL',
    kind: 'url',
    about:
      'Public address of the pages of payment links, without the id. Your proxy leads it to /links of `web`. Not set: /links under PUBLIC_BASE_URL.',
  },
  mongodbUri: {
    env: 'MONGODB_URI',
    kind: 'mongodb',
    required: true,
    secret: true,
    about:
      'MongoDB connection string of a replica set, with the database name (at most 53 bytes) in its path. User and password percent-encoded.',
  },
  allowOldMongodb: {
    env: 'ALLOW_OLD_MONGODB',
    kind: 'boolean',
    default: 'false',
    about: 'Production also starts on an unsupported MongoDB older than 7.0. Testing accepts any release.',
  },
  redisUrl: {
    env: 'REDIS_URL',
    kind: 'redis',
    required: true,
    secret: true,
    about:
      'redis://, redis+sentinel:// or redis+cluster:// (rediss for TLS). Redis carries nudges only: losing it costs latency, never a payment.',
  },
  redisPrefix: {
    env: 'REDIS_PREFIX',
    kind: 'string',
    default: 'gateway',
    about: 'First part of every Redis key and channel. Two installations on one Redis need two prefixes.',
  },
  allowInsecureStores: {
    env: 'ALLOW_INSECURE_STORES',
    kind: 'boolean',
    default: 'false',
    about:
      'Production accepts MongoDB and Redis without credentials or TLS, for a private network. Testing always does.',
  },
  vaultMasterKeys: {
    env: 'VAULT_MASTER_KEYS',
    kind: 'keys',
    required: true,
    secret: true,
    about:
      'Master keys of the vault: id:base64(32 bytes), comma separated, newest first. The first wraps, any unwraps.',
  },
  apiKeyPepper: {
    env: 'API_KEY_PEPPER',
    kind: 'key',
    required: true,
    secret: true,
    about:
      'base64 of at least 32 bytes. API keys are stored as HMAC-SHA-256 under it. It cannot be changed without new API keys.',
  },
  accessTokenKey: {
    env: 'ACCESS_TOKEN_KEY',
    kind: 'key',
    secret: true,
    about:
      'Signs bearer tokens: base64 of at least 32 bytes. Default: a key derived from API_KEY_PEPPER. A new key ends all tokens.',
  },
  fingerprintKey: {
    env: 'FINGERPRINT_KEY',
    kind: 'key',
    required: true,
    secret: true,
    about: 'base64 of at least 32 bytes. Saved cards are looked up by HMAC-SHA-256 of their number under it.',
  },
  digestKey: {
    env: 'DIGEST_KEY',
    kind: 'key',
    required: true,
    secret: true,
    about: 'base64 of at least 32 bytes. Request bodies are compared (duplicate references) by HMAC-SHA-256 under it.',
  },
  replyKey: {
    env: 'REPLY_KEY',
    kind: 'key',
    required: true,
    secret: true,
    about:
      'Signs replies over Redis: base64 of at least 32 bytes, the same everywhere. A different one makes callers wait.',
  },
  sessionLifetimeMinutes: {
    env: 'SESSION_LIFETIME_MINUTES',
    kind: 'integer',
    default: '60',
    min: 5,
    max: 1440,
    about: 'How long a checkout or tokenization session can be used (minutes).',
  },
  ...rateSettings,
  sandboxProcessorUrl: {
    env: 'SANDBOX_PROCESSOR_URL',
    kind: 'url',
    about: 'Address of the test processor. Testing only: production refuses to start with it.',
  },
  ...processorSettings,
  ...updateSettings,
  ...threeDsServerSettings,
  sandboxFile: {
    env: 'SANDBOX_FILE',
    kind: 'string',
    about:
      'File with the credentials of the sandbox, shown by the start page and the reference. Testing only; `npm start` sets it.',
  },
  threeDsProvidersFile: {
    env: 'THREEDS_PROVIDERS_FILE',
    kind: 'string',
    default: 'config/threeds-providers.json',
    about: 'Catalogue of 3DS providers: a JSON file, looked for from the working directory.',
  },
  ...pageSettings,
  ...walletSettings,
  callbackAllowPrivateNetworks: {
    env: 'CALLBACK_ALLOW_PRIVATE_NETWORKS',
    kind: 'boolean',
    default: 'false',
    about: 'Allow callbacks to loopback and private addresses. Testing only; `npm start` sets it.',
  },
  callbackProxyUrl: {
    env: 'CALLBACK_PROXY_URL',
    kind: 'url',
    secret: true,
    about:
      'HTTP proxy for callbacks (http://user:password@host:port, or https), with CONNECT to checked addresses. Not set: direct.',
  },
  timeScale: {
    env: 'TIME_SCALE',
    kind: 'integer',
    default: '1',
    min: 1,
    max: 100000,
    about: 'Divides every schedule that waits for minutes or hours (inquiry, callbacks, expiry). Testing only.',
  },
  responseWaitMs: {
    env: 'RESPONSE_WAIT_MS',
    kind: 'integer',
    default: '15000',
    min: 100,
    max: 60000,
    about: 'How long an API call waits for the outcome before it answers `pending` (ms).',
  },
  drainDelayMs: {
    env: 'DRAIN_DELAY_MS',
    kind: 'integer',
    default: '3000',
    min: 0,
    max: 60000,
    about:
      'From SIGTERM on `/readyz` is 503; new connections are still taken for this long, so that a balancer notices (ms).',
  },
  processorTimeoutMs: {
    env: 'PROCESSOR_TIMEOUT_MS',
    kind: 'integer',
    default: '30000',
    min: 100,
    max: 120000,
    about: 'How long a worker waits for a processor before the outcome is unknown and inquired (ms).',
  },
  workerConcurrency: {
    env: 'WORKER_CONCURRENCY',
    kind: 'integer',
    default: '256',
    min: 1,
    max: 2048,
    about: 'Jobs that one worker process runs at once, per pool.',
  },
  batchWrites: {
    env: 'BATCH_WRITES',
    kind: 'boolean',
    default: 'true',
    about: 'Group commit: writes of the same tick travel to MongoDB as one operation.',
  },
  cardTestingThrottles: {
    env: 'CARD_TESTING_THROTTLES',
    kind: 'enum',
    values: ['auto', 'on', 'off'],
    default: 'auto',
    about:
      'Stop sending cards that were declined too often. auto: on in production, off in testing (test cards decline a lot).',
  },
  panInText: {
    env: 'PAN_IN_TEXT',
    kind: 'enum',
    values: ['refuse', 'allow'],
    default: 'refuse',
    about:
      'For a card number of a known BIN in a text (metadata, names, descriptions). The number of the charged card is always refused.',
  },
  panInReference: {
    env: 'PAN_IN_REFERENCE',
    kind: 'enum',
    values: ['refuse', 'allow'],
    default: 'refuse',
    about: 'The same for referenceId and invoiceNumber: allow it where references are long numbers.',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    kind: 'enum',
    values: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    about: 'Lowest level that is logged.',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
