/** What a credential has to look like, as far as that is known: another text is refused where it is set. */
import { areHmacKeys } from '../../config/adyen-hmac-keys.js';

interface Shape {
  readonly fits: (value: string) => boolean;
  /** After "has to be". */
  readonly wanted: string;
}

const shapes: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  adyen: { hmacKey: { fits: areHmacKeys, wanted: 'hexadecimal keys, separated by commas' } },
};

/** A sentence without a value for each that does not fit; empty: nothing is known to be wrong. */
export const misshapenIn = (processor: string, values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(shapes[processor] ?? {})
    .filter(([name, { fits }]) => !fits(values[name] ?? ''))
    .map(([name, { wanted }]) => `${name} has to be ${wanted}`);
