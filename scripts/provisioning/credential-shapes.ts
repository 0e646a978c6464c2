/** Known formats of credentials: a value of another format is refused when it is set. */
import { areHmacKeys } from '../../config/adyen-hmac-keys.js';

interface Shape {
  readonly fits: (value: string) => boolean;
  /** Completes the sentence "has to be …". */
  readonly wanted: string;
}

const shapes: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  adyen: { hmacKey: { fits: areHmacKeys, wanted: 'hexadecimal keys, separated by commas' } },
};

/** Returns a sentence, without the value, for each credential of the wrong format. Empty when none is known to be wrong. */
export const misshapenIn = (processor: string, values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(shapes[processor] ?? {})
    .filter(([name, { fits }]) => !fits(values[name] ?? ''))
    .map(([name, { wanted }]) => `${name} has to be ${wanted}`);
