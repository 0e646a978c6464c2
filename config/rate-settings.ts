/** Limits on how often clients may call: the ones that an operator may change. */
import type { Setting } from './setting.js';

export const rateSettings = {
  writesPerSecond: {
    env: 'API_WRITES_PER_SECOND',
    kind: 'integer',
    default: '50',
    min: 0,
    max: 100000,
    about:
      'Requests of one client per second that change something (POST, PUT, DELETE), over all API processes. 0 is off.',
  },
  readsPerSecond: {
    env: 'API_READS_PER_SECOND',
    kind: 'integer',
    default: '100',
    min: 0,
    max: 100000,
    about: 'Requests of one client per second that read (GET), over all API processes. 0 is off.',
  },
  signInFailuresPerMinute: {
    env: 'SIGN_IN_FAILURES_PER_MINUTE',
    kind: 'integer',
    default: '20',
    min: 0,
    max: 100000,
    about:
      'Failed sign-ins per minute, address and client id (five times as many per address), then 429. Valid keys pass. 0 is off.',
  },
  merchantMissesPerMinute: {
    env: 'MERCHANT_MISSES_PER_MINUTE',
    kind: 'integer',
    default: '20',
    min: 0,
    max: 100000,
    about: 'Merchant ids per minute that a key may name without access to them, then 429. 0 is off.',
  },
  interactivePaymentsPerMinute: {
    env: 'INTERACTIVE_PAYMENTS_PER_MINUTE',
    kind: 'integer',
    default: '30',
    min: 0,
    max: 100000,
    about:
      'Payment operations per minute and client with the header X-Interactive-Testing: true. Testing only. 0 is off.',
  },
  interactiveSessionsPerMinute: {
    env: 'INTERACTIVE_SESSIONS_PER_MINUTE',
    kind: 'integer',
    default: '50',
    min: 0,
    max: 100000,
    about: 'Sessions created per minute and client from the interactive reference. Testing only. 0 is off.',
  },
  interactiveCustomersPerMinute: {
    env: 'INTERACTIVE_CUSTOMERS_PER_MINUTE',
    kind: 'integer',
    default: '100',
    min: 0,
    max: 100000,
    about:
      'Changes to customers, and separately to configuration, per minute and client from the reference. Testing only. 0 is off.',
  },
  interactiveReadsPerMinute: {
    env: 'INTERACTIVE_READS_PER_MINUTE',
    kind: 'integer',
    default: '200',
    min: 0,
    max: 100000,
    about: 'Reads per minute and client from the interactive reference. Testing only. 0 is off.',
  },
} as const satisfies Record<string, Setting>;
