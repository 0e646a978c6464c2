/** Port to the holder of the master keys: the configuration today, a key management service as a second provider. */

/** A data key as it is stored in a database. */
export interface WrappedKey {
  /** Id of the master key that wraps it. */
  readonly masterKeyId: string;
  readonly wrapped: string;
}

export interface KeyProvider {
  /** Ids of the master keys, newest first; at least one. */
  readonly keyIds: readonly [string, ...string[]];
  /**
   * Wraps a data key, bound to its id, with one of the master keys.
   * @throws {VaultError} `master-key-missing`
   */
  wrap(dataKeyId: string, dataKey: Uint8Array, masterKeyId: string): Promise<WrappedKey>;
  /**
   * Unwraps a data key that any of the master keys wrapped.
   * @throws {VaultError} `master-key-missing`, or `envelope-invalid` when the wrapped key was changed or belongs to another data key.
   */
  unwrap(dataKeyId: string, wrapped: WrappedKey): Promise<Uint8Array>;
}
