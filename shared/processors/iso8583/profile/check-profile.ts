/** Checks the parts of a profile that would be written and not be understood: messages, places and the authentication code. */
import { misfitAt } from './field-format.js';
import type { Field, MessageShape, Place, Placed } from './profile.js';
import { ProfileError } from './profile-error.js';

type Fields = ReadonlyMap<number, Field>;

/** A request or an advice that is sent for the first time: all others are answers or repeats, whose type follows from it. */
const FIRST_SENT = /^\d\d[024][024]$/;
/** Times and numbers of a message: a later message names it by them. */
const IDENTIFYING: ReadonlySet<number> = new Set([7, 11, 12]);
/** Fields that the gateway fills in itself: a value placed there would replace the card, the amount or a number of the message. */
const OWN: ReadonlySet<number> = new Set([2, 4, 7, 11, 12, 13, 14, 18, 32, 37, 41, 42, 49]);
const MAC_FIELDS = [64, 128];
const MAC_BYTES = 8;

function fits(field: Field | undefined, value: string): boolean {
  if (!field || misfitAt(field.kind, value) >= 0) return false;
  const length = field.kind === 'b' ? value.length / 2 : value.length;
  return field.lengthDigits > 0 ? Number.isInteger(length) && length <= field.length : length === field.length;
}

/** @throws {ProfileError} */
export function checkMessages(messages: Readonly<Record<string, MessageShape>>, fields: Fields): void {
  for (const [kind, { mti, fields: constants, otherAmount = {} }] of Object.entries(messages)) {
    const message = `message ${kind} (${mti})`;
    if (!FIRST_SENT.test(mti)) throw new ProfileError(`${message}: its last two digits must be 0, 2 or 4`);
    for (const [number, value] of [...Object.entries(constants), ...Object.entries(otherAmount)]) {
      if (IDENTIFYING.has(Number(number))) {
        throw new ProfileError(`${message}: its field ${number} cannot be constant, the message is identified by it`);
      }
      if (!fits(fields.get(Number(number)), value)) {
        throw new ProfileError(`${message}: its field ${number} does not fit the format`);
      }
    }
  }
}

/** Checks the places of requests: each needs a place of its own. @throws {ProfileError} */
export function checkPlaces(places: Readonly<Partial<Record<Placed, Place>>>): void {
  const taken = new Map<string, string>();
  for (const [what, { field, tag }] of Object.entries(places)) {
    if (OWN.has(field)) throw new ProfileError(`place ${what}: the gateway fills in field ${field} itself`);
    const other = taken.get(`${field}.${tag ?? ''}`) ?? taken.get(tag === undefined ? `${field}.any` : `${field}.`);
    if (other !== undefined) throw new ProfileError(`place ${what}: ${other} has the same place`);
    taken.set(`${field}.${tag ?? ''}`, what);
    taken.set(`${field}.any`, what);
  }
}

/** Checks the fields of authentication codes, which are made of the bytes before them. @throws {ProfileError} */
export function checkMac(fields: Fields): void {
  for (const number of MAC_FIELDS) {
    const field = fields.get(number);
    if (field && (field.kind !== 'b' || field.lengthDigits > 0 || field.length !== MAC_BYTES)) {
      throw new ProfileError(`field ${number}: an authentication code must have the format b${MAC_BYTES}`);
    }
  }
}
