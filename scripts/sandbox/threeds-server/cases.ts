/**
 * Decides the mock 3D Secure server's behaviour by the last four digits of the card number. The scheme is the one that 3dsecure.io
 * publishes for its sandbox: version, method, outcome, challenge. The outcomes 8 and 9 are our additions: answers that are invalid.
 */
const versionsByDigit: Readonly<Record<string, readonly string[]>> = {
  0: ['2.1.0', '2.2.0'],
  1: ['2.1.0'],
  2: ['2.2.0'],
  3: ['2.3.1'],
};
const methodsByDigit = { 0: 'answers', 1: 'none', 2: 'silent' } as const;

const outcomes = {
  '03': 'Y',
  '13': 'N',
  '23': 'A',
  '33': 'R',
  '43': 'I',
  '53': 'U',
  '63': 'directory-timeout',
  '70': 'challenge-passes',
  '71': 'challenge-fails',
  '72': 'challenge',
  '80': 'no-json',
  '81': 'other-session',
  '82': 'slow',
  '83': 'refused-field',
  '84': 'too-large',
  '85': 'cut-off',
  '86': 'D',
  '87': 'status-500',
  '88': 'no-value',
  '89': 'other-version',
} as const;
export type Outcome = (typeof outcomes)[keyof typeof outcomes];

export interface Case {
  /** Versions that directory and issuer support, oldest first. */
  readonly versions: readonly string[];
  readonly method: 'answers' | 'none' | 'silent';
  readonly outcome: Outcome;
}

/** `undefined`: the card is not enrolled. */
export function caseOf(number: string): Case | undefined {
  const [, version = '', method = '', outcome = ''] = /(\d)(\d)(\d\d)$/.exec(number) ?? [];
  const versions = versionsByDigit[version];
  const way = methodsByDigit[method as unknown as keyof typeof methodsByDigit];
  const end = outcomes[outcome as keyof typeof outcomes];
  return versions && way !== undefined && end !== undefined ? { versions, method: way, outcome: end } : undefined;
}

/** Whether the number passes the Luhn check. The last digit is given, so another digit is varied. */
const isLuhn = (digits: string) =>
  [...digits].reverse().reduce((sum, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return sum + (value > 9 ? value - 9 : value);
  }, 0) %
    10 ===
  0;

/** Returns a Visa number that ends in these four digits. */
export function cardEnding(lastFour: string): string {
  const number = [...'0123456789'].map((filler) => `40000010000${filler}${lastFour}`).find(isLuhn);
  if (number === undefined) throw new Error(`no card ends in ${lastFour}`);
  return number;
}
