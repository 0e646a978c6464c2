/** Secret keys and signing secrets as Stripe writes them. A problem continues a sentence that begins with the name of the value. */
import type { Config } from './config.js';

type Environment = Config['environment'];

const KEY = /^(?:sk|rk)_(test|live)_\w+$/;
const SECRET = /^whsec_[\w+/=-]+$/;

/** The mode of Stripe that does not belong to an environment. */
const otherModes = {
  production: { mode: 'test', problem: 'is a test key, which production refuses: no money would move' },
  testing: {
    mode: 'live',
    problem: 'is a live key, which a testing environment refuses: real cards would be charged',
  },
} as const satisfies Record<Environment, object>;

/** Returns the problem of a key that is of the other mode. A text that is no key is of no mode. */
export function stripeModeProblem(key: string, environment: Environment): string | undefined {
  const { mode, problem } = otherModes[environment];
  return KEY.exec(key)?.[1] === mode ? problem : undefined;
}

export function stripeKeyProblem(key: string, environment: Environment | undefined): string | undefined {
  if (!KEY.test(key)) return 'must be a key such as sk_test_… or rk_live_…';
  return environment && stripeModeProblem(key, environment);
}

/** @param secrets as the text has them between its commas */
export const stripeSecretsProblem = (secrets: readonly string[]): string | undefined =>
  secrets.every((secret) => SECRET.test(secret))
    ? undefined
    : 'must be a signing secret such as whsec_…, or several with commas between them';
