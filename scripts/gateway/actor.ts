/** Names the user of the operator command line for the audit. */
import { userInfo } from 'node:os';
import { UsageError } from './command.js';

const NAME = /^[\p{L}\p{N}._@-]{1,64}$/u;

/** Falls back to the user's number: a container may run under a number that belongs to no user. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** @throws {UsageError} for a name that does not fit a list */
export function actorOf(as: string | undefined): string {
  const name = as ?? systemUser();
  if (!NAME.test(name)) throw new UsageError('--as takes a name of 1 to 64 letters, digits and . _ @ -');
  return `operator:${name}`;
}
