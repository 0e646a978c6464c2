/** Failures during set-up, each in one sentence that a newcomer can act on. */

/** A failure whose message is meant for the person at the terminal. Its stack is not shown. */
export class Problem extends Error {
  /** @param {string} message @param {{ cause?: unknown }} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = 'Problem';
  }
}

/** Thrown by work that was still under way when the person asked to stop. Nothing is printed for it. */
export class Stopped extends Error {}

const DISK_FULL = /ENOSPC|no space left on device|disk quota exceeded/i;

/** @param {unknown} error */
const codeOf = (error) => /** @type {{ code?: unknown }} */ (error)?.code;

/**
 * Whether the error, its cause, or the output that it quotes says that the disk is full.
 * @param {unknown} error
 * @returns {boolean}
 */
export function isDiskFull(error) {
  if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT') return true;
  if (!(error instanceof Error)) return false;
  return DISK_FULL.test(error.message) || isDiskFull(error.cause);
}

/**
 * Returns the text to show for an error: one sentence for a known failure, the stack for a bug of ours.
 * @param {unknown} error
 * @param {string} folder the folder whose disk the scripts write to
 */
export function explain(error, folder) {
  if (isDiskFull(error)) return `The disk that holds ${folder} is full: free some space and try again.`;
  if (error instanceof Problem) return error.message;
  const path = /** @type {{ path?: string }} */ (error)?.path;
  if (['EACCES', 'EPERM', 'EROFS'].includes(String(codeOf(error))) && path) {
    return `${path} cannot be written (${codeOf(error)}): this user needs write access to ${folder}.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
