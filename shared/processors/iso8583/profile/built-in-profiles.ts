/** Profiles that come with the gateway. The profile of an acquirer is a file that extends one of them and lists the differences. */
import { fields1987 } from './fields-1987.js';
import { fields1993 } from './fields-1993.js';
import type { ProfileSource } from './profile-source.js';

const framing = { lengthBytes: 2, lengthEncoding: 'binary', lengthIncludesItself: false } as const;

/** Format in which many acquirers tag additional data: two digits of tag, three of length. Field 62 describes payer and order. */
const tagged = { 48: { tagLength: 2, lengthDigits: 3 }, 62: { tagLength: 2, lengthDigits: 3 } } as const;
const places = {
  cvc: '48.92',
  threeDsVersion: '48.40',
  eci: '48.42',
  authenticationValue: '48.43',
  dsTransactionId: '48.44',
  cryptogram: '48.45',
  exemption: '48.46',
  installments: '48.50',
  installmentPlan: '48.51',
  taxLaw: '48.52',
  storedCredential: '48.60',
  initiator: '48.61',
  storedReason: '48.62',
  networkTransactionId: '48.63',
  networkLinkId: '48.64',
  statementDescriptor: '48.70',
  facilitatorId: '48.80',
  subMerchantId: '48.81',
  merchantName: '43',
  invoiceNumber: '62.01',
  referenceId: '62.02',
  tip: '62.10',
  taxAmount: '62.11',
  taxedAmount: '62.12',
  surcharge: '62.13',
  address: '62.20',
  postalCode: '62.21',
  email: '62.22',
  phone: '62.23',
  document: '62.24',
  ipAddress: '62.25',
} as const;

const answers = {
  networkTransactionId: '48.63',
  networkLinkId: '48.64',
  avs: '48.83',
  adviceCode: '48.84',
  cvcResult: '48.87',
  updatedExpiry: '48.88',
} as const;

const shape = (mti: string, fields: Readonly<Record<number, string>>) => ({ mti, fields });

/** Fields 22 and 25: card data keyed by the payer or on file, electronic commerce. Field 70 is the network management code. */
const messages1987 = {
  purchase: shape('0200', { 3: '000000', 22: '812', 25: '59' }),
  authorization: shape('0100', { 3: '000000', 22: '812', 25: '59' }),
  verification: shape('0100', { 3: '000000', 22: '812', 25: '51' }),
  capture: shape('0220', { 3: '000000', 22: '812', 25: '59' }),
  cancel: shape('0420', { 3: '000000', 39: '17' }),
  refund: shape('0200', { 3: '200000', 22: '812', 25: '59' }),
  reversal: shape('0420', { 3: '000000', 39: '68' }),
  signOn: shape('0800', { 70: '001' }),
  signOff: shape('0800', { 70: '002' }),
  echo: shape('0800', { 70: '301' }),
  keyExchange: shape('0800', { 70: '101' }),
};

/** Field 24 is the function code, field 25 the reason. */
const messages1993 = {
  purchase: shape('1200', { 3: '000000', 22: '100050100110', 24: '200' }),
  authorization: shape('1100', { 3: '000000', 22: '100050100110', 24: '100' }),
  verification: shape('1100', { 3: '000000', 22: '100050100110', 24: '108' }),
  // Function codes for a capture of the authorized amount, or of another amount.
  capture: {
    ...shape('1220', { 3: '000000', 22: '100050100110', 24: '201' }),
    otherAmount: { 24: '202' },
  },
  cancel: shape('1420', { 3: '000000', 24: '400', 25: '4000' }),
  refund: shape('1200', { 3: '200000', 22: '100050100110', 24: '200' }),
  reversal: shape('1420', { 3: '000000', 24: '400', 25: '4021' }),
  signOn: shape('1804', { 24: '801' }),
  signOff: shape('1804', { 24: '802' }),
  echo: shape('1804', { 24: '831' }),
  keyExchange: shape('1804', { 24: '811' }),
};

const source1987 = {
  version: '1987',
  framing,
  tagged,
  places,
  answers,
  messages: messages1987,
  fields: fields1987,
} as const;
const source1993 = {
  version: '1993',
  framing,
  tagged,
  places,
  answers,
  messages: messages1993,
  fields: fields1993,
} as const;

const ascii = { text: 'ascii', digits: 'ascii', lengths: 'ascii', bitmap: 'hex', binary: 'hex' } as const;
const bcd = { text: 'ascii', digits: 'bcd', lengths: 'bcd', bitmap: 'raw', binary: 'raw' } as const;
const ebcdic = { text: 'ebcdic', digits: 'ebcdic', lengths: 'ebcdic', bitmap: 'raw', binary: 'raw' } as const;

/** Binary data of variable length is never written as text. */
const raw1993 = {
  ...fields1993,
  53: { format: 'b..48', name: 'Security related control information', binary: 'raw' },
  55: { format: 'b...255', name: 'Chip data', binary: 'raw' },
  96: { format: 'b...999', name: 'Key management data', binary: 'raw' },
} as const;

export const builtInProfiles = {
  '1987-ascii': { ...source1987, ...ascii },
  '1987-bcd': { ...source1987, ...bcd },
  '1987-ebcdic': { ...source1987, ...ebcdic },
  '1993-ascii': { ...source1993, ...ascii, fields: raw1993 },
  '1993-bcd': { ...source1993, ...bcd },
  '1993-ebcdic': { ...source1993, ...ebcdic },
} as const satisfies Record<string, ProfileSource>;

export type BuiltInProfile = keyof typeof builtInProfiles;
