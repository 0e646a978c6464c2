/** Builds one message of every kind, to test a profile before the first payment. Pure. */
import type { IsoExchangeKind } from '../../../store/iso8583-exchange.model.js';
import { CodecError } from '../codec/codec-error.js';
import type { IsoMessage } from '../codec/message.js';
import { networkMessage } from '../line/network-messages.js';
import { createPacker } from '../line/pack.js';
import type { MessageKind, Profile } from '../profile/profile.js';
import { buildOperation, buildReversal } from './build-message.js';
import type { Outgoing } from './read-request.js';
import type { IsoDialect, IsoIdentity } from './settings.js';

const INSTITUTION = 32;
const NO_MAC = '0'.repeat(16);
const trace = { stan: '000001', at: new Date(Date.UTC(2027, 0, 5)) };
/** Example values in digits, which fit a field of any kind; those of a real merchant or acquirer may differ. */
const party = { terminal: '00000001', merchant: '000000000000001', category: '5999' };
const money = { amountMinor: 100, currency: 'USD' };
const original = { mti: '0100', trace, retrievalReference: '000000000001', authorization: '000001', ...money };
const card = { number: '0'.repeat(16), expMonth: 12, expYear: 2030 };
/** The only value with a place in the profile that is sent with every payment. */
const extras = { merchantName: `${'SHOP'.padEnd(38, ' ')}UY` };

const operations = ['purchase', 'authorization', 'verification', 'capture', 'cancel', 'refund'] as const;
const later: readonly IsoExchangeKind[] = ['capture', 'cancel', 'refund'];
const network = ['signOn', 'signOff', 'echo', 'keyExchange'] as const;

function* messagesOf(profile: Profile): Generator<readonly [MessageKind, IsoMessage]> {
  const institution = profile.fields.get(INSTITUTION);
  const acquirerId = '1'.padStart(institution?.lengthDigits === 0 ? institution.length : 1, '0');
  const identity = { terminal: party.terminal, acquirerId, timeZone: 'UTC' };
  const dialect: IsoDialect = { profile, identity };
  for (const kind of operations) {
    const about: Outgoing = { key: '', kind, ...money, ...party, extras: {} };
    const message = later.includes(kind)
      ? buildOperation(about, trace, original.retrievalReference, dialect, original)
      : buildOperation({ ...about, card, extras }, trace, original.retrievalReference, dialect);
    yield [kind, message];
  }
  const reversed = { ...original, ...party, processingCode: '000000' };
  yield ['reversal', buildReversal(reversed, dialect, false)];
  for (const kind of network) yield [kind, networkMessage(kind, profile, identity, trace)];
}

const packerOf = (profile: Profile) => createPacker(profile, { mac: { make: () => NO_MAC, isValid: () => true } });

/** Returns the error of a value of the gateway's identity that the profile cannot encode: no connection could sign on, or no payment be sent. */
export function identityMisfit(profile: Profile, identity: IsoIdentity): CodecError | undefined {
  const { terminal, merchantId = party.merchant, merchantCategory: category = party.category } = identity;
  const about: Outgoing = { key: '', kind: 'purchase', ...money, terminal, merchant: merchantId, category, extras };
  const reference = original.retrievalReference;
  const packer = packerOf(profile);
  try {
    packer.pack(networkMessage('signOn', profile, identity, trace));
    packer.pack(buildOperation({ ...about, card }, trace, reference, { profile, identity }));
    return undefined;
  } catch (error) {
    if (error instanceof CodecError) return error;
    throw error;
  }
}

/** Returns why the profile cannot encode one of its own messages, so that no payment could be sent; `undefined` when it can encode all. */
export function unwritable(profile: Profile): string | undefined {
  const packer = packerOf(profile);
  for (const [kind, message] of messagesOf(profile)) {
    try {
      packer.pack(message);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      return `message ${kind} (${message.mti}) cannot be written: its field ${error.field} ${error.problem}`;
    }
  }
  return undefined;
}
