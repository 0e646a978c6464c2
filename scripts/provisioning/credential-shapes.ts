/** Known formats of credentials: a value of another format, or of another environment, is refused when it is set. */
import { areHmacKeys } from '../../config/adyen-hmac-keys.js';
import type { Config } from '../../config/config.js';
import { stripeKeyProblem, stripeSecretsProblem } from '../../config/stripe-keys.js';

type Environment = Config['environment'];

/** Returns the rest of a sentence that begins with the name of the credential; `undefined`: the value can be correct. */
type ProblemOf = (value: string, environment: Environment) => string | undefined;

const problems: Readonly<Record<string, Readonly<Record<string, ProblemOf>>>> = {
  adyen: {
    hmacKey: (value) => (areHmacKeys(value) ? undefined : 'has to be hexadecimal keys, separated by commas'),
  },
  stripe: {
    secretKey: stripeKeyProblem,
    webhookSecret: (value) => stripeSecretsProblem(value.split(',').map((secret) => secret.trim())),
  },
};

/** Returns a sentence, without the value, for each credential that cannot be correct. Empty when none is known to be wrong. */
export const misshapenIn = (
  processor: string,
  values: Readonly<Record<string, string>>,
  environment: Environment,
): readonly string[] =>
  Object.entries(problems[processor] ?? {}).flatMap(([name, problemOf]) => {
    const problem = problemOf(values[name] ?? '', environment);
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
