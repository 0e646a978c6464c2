/** Derives message types from each other: request, answer, repeat. */

const REPEATS: Readonly<Record<string, string>> = { 1: '0', 3: '2', 5: '4' };

/** `0200` is answered by `0210`, `0421` by `0430`. */
export function answerMti(mti: string): string {
  const origin = mti.slice(3);
  return mti.slice(0, 2) + String(Number(mti[2]) + 1) + (REPEATS[origin] ?? origin);
}

/** `0220` is repeated as `0221`. */
export const repeatMti = (mti: string): string => mti.slice(0, 3) + String(Number(mti[3]) + 1);

/** Whether the message is a repeat: it was sent before, under the same numbers. */
export const isRepeat = (mti: string): boolean => Number(mti[3]) % 2 === 1;

/** Whether the message expects an answer. */
export const isRequest = (mti: string): boolean => Number(mti[2]) % 2 === 0;

export const isNetworkManagement = (mti: string): boolean => mti[1] === '8';

/**
 * Builds the key by which an answer is matched to its message: type, STAN, terminal and transmission time. A network message is about
 * the connection, and by the standard its answer need not name a terminal.
 */
export function matchKey(mti: string, fields: Readonly<Record<number, string>>): string {
  const terminal = isNetworkManagement(mti) ? '' : (fields[41] ?? '');
  return [mti, fields[11] ?? '', terminal, fields[7] ?? ''].join('|');
}
