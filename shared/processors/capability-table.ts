/** What each processor can do, read from the adapters of `registry.ts`. Written by `npm run generate`: do not edit it. */
import type { ProcessorCapabilities } from './capabilities-of.js';

export const capabilityTable = {
  sandbox: {
    dedupes: true,
    tombstones: true,
    refundNeedsPan: false,
    operations: [
      'authorize',
      'inquire',
      'reverse',
      'capture',
      'cancel',
      'refund',
      'issueCode',
      'findTransfers',
      'listSince',
    ],
    updates: true,
  },
  'sandbox-forgetful': {
    dedupes: false,
    tombstones: false,
    refundNeedsPan: false,
    operations: [
      'authorize',
      'inquire',
      'reverse',
      'capture',
      'cancel',
      'refund',
      'issueCode',
      'findTransfers',
      'listSince',
    ],
  },
  'sandbox-lagging': {
    dedupes: false,
    tombstones: true,
    refundNeedsPan: false,
    operations: [
      'authorize',
      'inquire',
      'reverse',
      'capture',
      'cancel',
      'refund',
      'issueCode',
      'findTransfers',
      'listSince',
    ],
  },
  iso8583: {
    dedupes: true,
    tombstones: true,
    refundNeedsPan: false,
    operations: ['authorize', 'inquire', 'reverse', 'capture', 'cancel', 'refund', 'verify'],
  },
  adyen: {
    dedupes: true,
    tombstones: false,
    refundNeedsPan: false,
    inquiresBySending: true,
    operations: ['authorize', 'inquire', 'reverse', 'capture', 'cancel', 'refund'],
    merchantCredentials: ['merchantAccount', 'apiKey', 'hmacKey'],
    updates: true,
  },
} as const satisfies Record<string, ProcessorCapabilities>;
