/** Settings of the processor `iso8583` (docs/iso8583.md). */
import { iso8583Limits } from './iso8583-limits.js';
import type { Setting } from './setting.js';

export const iso8583Settings = {
  iso8583Host: {
    env: 'ISO8583_HOST',
    kind: 'string',
    about:
      'Address of the acquirer that speaks ISO 8583. Not set: the processor `iso8583` is left out of the installation.',
  },
  iso8583Port: { env: 'ISO8583_PORT', kind: 'integer', min: 1, max: 65535, about: 'Its port. Goes with ISO8583_HOST.' },
  iso8583Terminal: {
    env: 'ISO8583_TERMINAL',
    kind: 'string',
    about: 'Terminal of merchants without one of their own (field 41), at most 8 characters. Goes with ISO8583_HOST.',
  },
  iso8583AcquirerId: {
    env: 'ISO8583_ACQUIRER_ID',
    kind: 'string',
    about: 'Number of the acquiring institution (field 32), at most 11 digits. Goes with ISO8583_HOST.',
  },
  iso8583MerchantId: {
    env: 'ISO8583_MERCHANT_ID',
    kind: 'string',
    about: 'Number of merchants without one of their own (field 42), at most 15 characters.',
  },
  iso8583MerchantCategory: {
    env: 'ISO8583_MERCHANT_CATEGORY',
    kind: 'string',
    about: 'Merchant category code (field 18), 4 digits.',
  },
  iso8583Profile: {
    env: 'ISO8583_PROFILE',
    kind: 'string',
    default: '1987-ascii',
    about:
      'How the acquirer writes messages: 1987-ascii, 1987-bcd, 1987-ebcdic, 1993-ascii, 1993-bcd, 1993-ebcdic, or a file that ends in .json.',
  },
  iso8583TimeZone: {
    env: 'ISO8583_TIME_ZONE',
    kind: 'string',
    default: 'UTC',
    about: 'Zone of local times in messages (fields 12 and 13), for example America/Montevideo.',
  },
  iso8583Connections: {
    env: 'ISO8583_CONNECTIONS',
    kind: 'integer',
    default: '1',
    min: 1,
    max: iso8583Limits.connectionsMax,
    about: 'Connections of one worker process to the acquirer.',
  },
  iso8583EchoSeconds: {
    env: 'ISO8583_ECHO_SECONDS',
    kind: 'integer',
    default: '60',
    min: 5,
    max: 3600,
    about: 'A connection on which nothing was heard for so long is asked for a sign of life (seconds).',
  },
  iso8583Tls: {
    env: 'ISO8583_TLS',
    kind: 'boolean',
    default: 'true',
    about: 'TLS 1.2 or later. false: plain TCP, for a line that is encrypted otherwise.',
  },
  iso8583TlsCaFile: {
    env: 'ISO8583_TLS_CA_FILE',
    kind: 'string',
    about: "PEM file with the acquirer's own certificate authority. Not set: those of Node.",
  },
  iso8583TlsCertificateFile: {
    env: 'ISO8583_TLS_CERTIFICATE_FILE',
    kind: 'string',
    about: 'PEM file with the certificate that the gateway shows the acquirer. Goes with ISO8583_TLS_KEY_FILE.',
  },
  iso8583TlsKeyFile: {
    env: 'ISO8583_TLS_KEY_FILE',
    kind: 'string',
    about: 'PEM file with the key of that certificate.',
  },
  iso8583MessageLog: {
    env: 'ISO8583_MESSAGE_LOG',
    kind: 'boolean',
    default: 'false',
    about: 'Log every message, masked: for the certification with an acquirer.',
  },
} as const satisfies Record<string, Setting>;
