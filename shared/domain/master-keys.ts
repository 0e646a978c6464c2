/** Which master key wraps, and who may start beside whom: decided from what running processes report (docs/security.md#keys-in-use). */

export interface RunningProcess {
  /** `web`, or the pools that it runs: `processor+threeds`. */
  readonly role: string;
  readonly host: string;
  readonly pid: number;
}

/** A running process and the ids of the master keys that it holds. */
export interface KeyHolder extends RunningProcess {
  /** Newest first. */
  readonly masterKeyIds: readonly string[];
  /** Of a process with the pool `processor`: the processors that it is configured for. Earlier releases do not say. */
  readonly processors?: readonly string[];
}

/** The processes that lack a key. */
export const lackingKey = (keyId: string, holders: readonly KeyHolder[]): readonly KeyHolder[] =>
  holders.filter(({ masterKeyIds }) => !masterKeyIds.includes(keyId));

/**
 * The newest of `own` (newest first) that every process holds: whatever it wraps, everybody can open.
 * @returns undefined when there is none.
 */
export const chooseWrappingKey = (own: readonly string[], holders: readonly KeyHolder[]): string | undefined =>
  own.find((keyId) => lackingKey(keyId, holders).length === 0);

/**
 * Keys without which a process with `own` must not start: data keys are wrapped with them, and running processes hold them. A key
 * that no process holds any more is lost, and prevents no start.
 */
export const keysNeededToStart = (
  own: readonly string[],
  holders: readonly KeyHolder[],
  wrapping: readonly string[],
): readonly string[] =>
  wrapping.filter((keyId) => !own.includes(keyId) && lackingKey(keyId, holders).length < holders.length);

/** `web on host-1 (pid 12)` */
export const holderText = ({ role, host, pid }: KeyHolder): string => `${role} on ${host} (pid ${pid})`;
