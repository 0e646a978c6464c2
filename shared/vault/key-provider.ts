/** The port to whatever holds the master keys: the configuration today, a key management service as a second provider. */

/** A data key as it may lie in a database. */
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
   * Opens what any of the master keys wrapped.
   * @throws {VaultError} `master-key-missing`, or `envelope-invalid` when it was changed or is another data key's.
   */
  unwrap(dataKeyId: string, wrapped: WrappedKey): Promise<Uint8Array>;
}
