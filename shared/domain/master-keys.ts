/** Decides from the reports of running processes which master key wraps, and which process may start (docs/security.md#keys-in-use). */

export interface RunningProcess {
  /** `web`, or the pools that the process runs: `processor+threeds`. */
  readonly role: string;
  readonly host: string;
  readonly pid: number;
}

/** A running process and the ids of the master keys that it has. */
export interface KeyHolder extends RunningProcess {
  /** Newest first. */
  readonly masterKeyIds: readonly string[];
  /** The processors that a process with the pool `processor` is configured for. Earlier releases do not report them. */
  readonly processors?: readonly string[];
}

/** Returns the processes that lack a key. */
export const lackingKey = (keyId: string, holders: readonly KeyHolder[]): readonly KeyHolder[] =>
  holders.filter(({ masterKeyIds }) => !masterKeyIds.includes(keyId));

/**
 * Returns the newest key of `own` (newest first) that every process has, so that every process can open what the key wraps.
 * @returns undefined when no key is in every process.
 */
export const chooseWrappingKey = (own: readonly string[], holders: readonly KeyHolder[]): string | undefined =>
  own.find((keyId) => lackingKey(keyId, holders).length === 0);

/**
 * Returns the keys that a process with the keys `own` lacks and must have to start: data keys are wrapped with them, and a running
 * process has them. A key that no process has any more is lost and does not prevent a start.
 */
export const keysNeededToStart = (
  own: readonly string[],
  holders: readonly KeyHolder[],
  wrapping: readonly string[],
): readonly string[] =>
  wrapping.filter((keyId) => !own.includes(keyId) && lackingKey(keyId, holders).length < holders.length);

/** Returns `web on host-1 (pid 12)`. */
export const holderText = ({ role, host, pid }: KeyHolder): string => `${role} on ${host} (pid ${pid})`;
