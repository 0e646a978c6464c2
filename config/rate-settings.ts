/** How often somebody may call: settings of the limits that an operator may change. */
import type { Setting } from './setting.js';

export const rateSettings = {
  writesPerSecond: {
    env: 'API_WRITES_PER_SECOND',
    kind: 'integer',
    default: '50',
    min: 0,
    max: 100000,
    about:
      'Requests of one client per second that change something (POST, PUT, DELETE), over all API processes. 0 switches the limit off.',
  },
  readsPerSecond: {
    env: 'API_READS_PER_SECOND',
    kind: 'integer',
    default: '100',
    min: 0,
    max: 100000,
    about: 'Requests of one client per second that read (GET), over all API processes. 0 switches the limit off.',
  },
  signInFailuresPerMinute: {
    env: 'SIGN_IN_FAILURES_PER_MINUTE',
    kind: 'integer',
    default: '20',
    min: 0,
    max: 100000,
    about:
      'Failed sign-ins per minute, address and client id, and five times as many per address; more are answered 429 for the rest of the minute. A right key always passes. 0 switches the limit off.',
  },
  merchantMissesPerMinute: {
    env: 'MERCHANT_MISSES_PER_MINUTE',
    kind: 'integer',
    default: '20',
    min: 0,
    max: 100000,
    about:
      'Different merchant ids per minute that a key may ask about and not use; more are answered 429 for the rest of the minute. 0 switches the limit off.',
  },
  interactivePaymentsPerMinute: {
    env: 'INTERACTIVE_PAYMENTS_PER_MINUTE',
    kind: 'integer',
    default: '30',
    min: 0,
    max: 100000,
    about:
      'Payment operations per minute and client from the interactive reference (header X-Interactive-Testing: true). Testing only. 0 switches the limit off.',
  },
  interactiveSessionsPerMinute: {
    env: 'INTERACTIVE_SESSIONS_PER_MINUTE',
    kind: 'integer',
    default: '50',
    min: 0,
    max: 100000,
    about:
      'Sessions created per minute and client from the interactive reference. Testing only. 0 switches the limit off.',
  },
  interactiveCustomersPerMinute: {
    env: 'INTERACTIVE_CUSTOMERS_PER_MINUTE',
    kind: 'integer',
    default: '100',
    min: 0,
    max: 100000,
    about:
      'Changes to customers per minute and client from the interactive reference; so many changes to configuration too, counted apart. Testing only. 0 switches the limit off.',
  },
  interactiveReadsPerMinute: {
    env: 'INTERACTIVE_READS_PER_MINUTE',
    kind: 'integer',
    default: '200',
    min: 0,
    max: 100000,
    about: 'Reads per minute and client from the interactive reference. Testing only. 0 switches the limit off.',
  },
} as const satisfies Record<string, Setting>;
