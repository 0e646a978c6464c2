/** Builds a profile from its source and checks all of it, so that errors appear at start and not with the first payment. */
import { unwritable } from '../adapter/specimens.js';
import { type BuiltInProfile, builtInProfiles } from './built-in-profiles.js';
import { checkMac, checkMessages, checkPlaces } from './check-profile.js';
import { type FieldFormat, parseFieldFormat } from './field-format.js';
import type { Field, MessageKind, MessageShape, Place, Profile } from './profile.js';
import { ProfileError } from './profile-error.js';
import { type FieldSource, type ProfileFile, type ProfileSource, profileFileSchema } from './profile-source.js';

const withoutNull = <T>(record: Readonly<Record<string, T | null>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter((entry): entry is [string, T] => entry[1] !== null));

const isBuiltIn = (name: string): name is BuiltInProfile => Object.hasOwn(builtInProfiles, name);

/** Fields that the adapter's messages need: a profile without one of them cannot work. */
const NEEDED = [2, 3, 4, 7, 11, 14, 32, 37, 38, 39, 41, 42, 49];
/** Fields that name the original. In 1993, field 56 contains its time, so field 12 is needed too. */
const NEEDED_OF_ORIGINALS = { '1987': [90], '1993': [12, 56] } as const;

function fieldOf(number: number, source: FieldSource, profile: ProfileSource): Field {
  const [notation, name] = typeof source === 'string' ? [source, ''] : Array.isArray(source) ? source : ['', ''];
  const own = typeof source === 'object' && 'format' in source ? source : { format: notation, name };
  const format: FieldFormat | undefined = parseFieldFormat(own.format);
  if (!format) throw new ProfileError(`field ${number}: "${own.format}" is no format; n6, n..19 or ans...999 are`);
  const { text, digits, lengths, binary } = { ...profile, ...own };
  const { padding: fixed = 'left-0', variablePadding: variable = 'right-0' } = profile;
  const padding = 'padding' in own && own.padding ? own.padding : format.lengthDigits > 0 ? variable : fixed;
  return { ...format, number, name: own.name || 'Reserved', text, digits, lengths, binary, padding };
}

function placesOf<What extends string>(
  places: Readonly<Partial<Record<What, string>>>,
  { tagged = {} }: ProfileSource,
  fields: ReadonlyMap<number, Field>,
) {
  return Object.fromEntries(
    Object.entries<string | undefined>(places).map(([what, text = '']): [string, Place] => {
      const [number = '', tag] = text.split('.');
      const field = Number(number);
      if (!fields.has(field)) throw new ProfileError(`place ${what}: field ${field} is not in the profile`);
      if (tag === undefined) return [what, { field }];
      if (tagged[field]?.tagLength !== tag.length) {
        throw new ProfileError(
          `place ${what}: "tagged" does not say that field ${field} has tags of ${tag.length} characters`,
        );
      }
      return [what, { field, tag }];
    }),
  ) as Partial<Record<What, Place>>;
}

function compile(name: string, source: ProfileSource): Profile {
  const fields = new Map(
    Object.entries(source.fields).map(([number, field]) => [Number(number), fieldOf(Number(number), field, source)]),
  );
  for (const number of [...NEEDED, ...NEEDED_OF_ORIGINALS[source.version]]) {
    if (!fields.has(number)) throw new ProfileError(`field ${number} is missing, and the gateway needs it`);
  }
  checkMessages(source.messages, fields);
  const { version, framing, text, digits, bitmap, messages, tagged = {}, padding = 'left-0' } = source;
  const { mac = false, signsOff = false } = source;
  const places = placesOf(source.places ?? {}, source, fields);
  checkPlaces(places);
  if (mac) checkMac(fields);
  const answers = placesOf(source.answers ?? {}, source, fields);
  const encodings = { framing, text, digits, bitmap, padding, mac, signsOff };
  const profile: Profile = { name, version, ...encodings, messages, tagged, fields, places, answers };
  const problem = unwritable(profile);
  if (problem !== undefined) throw new ProfileError(problem);
  return profile;
}

function extendMessages(base: ProfileSource['messages'], changes: ProfileFile['messages'] = {}) {
  const messages: Record<string, MessageShape> = { ...base };
  for (const [kind, change] of Object.entries(changes)) {
    const { mti, fields, otherAmount = {} } = base[kind as MessageKind];
    const own = change.fields ?? {};
    // A field set in a file applies to every amount, unless the file also sets it in `otherAmount`.
    const kept = Object.fromEntries(Object.entries(otherAmount).filter(([number]) => !Object.hasOwn(own, number)));
    const other = withoutNull<string>({ ...kept, ...change.otherAmount });
    messages[kind] = {
      mti: change.mti ?? mti,
      fields: withoutNull({ ...fields, ...own }),
      ...(Object.keys(other).length > 0 && { otherAmount: other }),
    };
  }
  return messages as ProfileSource['messages'];
}

/** @throws {ProfileError} when there is no built-in profile of this name. */
export function builtInProfile(name: string): Profile {
  if (isBuiltIn(name)) return compile(name, builtInProfiles[name]);
  throw new ProfileError(`there is no profile "${name}": ${Object.keys(builtInProfiles).join(', ')}`);
}

/**
 * Reads an acquirer's profile from the contents of a file (docs/iso8583.md).
 * @throws {ProfileError} saying what is wrong with it
 */
export function readProfile(file: unknown): Profile {
  const { error, value } = profileFileSchema.validate(file, { convert: false });
  if (error) throw new ProfileError(error.message);
  const {
    name,
    extends: base,
    framing,
    fields = {},
    messages,
    places = {},
    answers = {},
    tagged,
    ...rest
  } = value as ProfileFile;
  if (!isBuiltIn(base)) throw new ProfileError(`"extends" is one of ${Object.keys(builtInProfiles).join(', ')}`);
  const source: ProfileSource = builtInProfiles[base];
  return compile(name, {
    ...source,
    ...rest,
    framing: { ...source.framing, ...framing },
    tagged: { ...source.tagged, ...tagged },
    fields: withoutNull<FieldSource>({ ...source.fields, ...fields }),
    messages: extendMessages(source.messages, messages),
    places: withoutNull<string>({ ...source.places, ...places }),
    answers: withoutNull<string>({ ...source.answers, ...answers }),
  });
}
