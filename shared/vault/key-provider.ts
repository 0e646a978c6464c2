/** The port to whatever holds the master keys: the configuration today, a key management service as a second provider. */

/** A data key as it may lie in a database. */
export interface WrappedKey {
  /** Id of the master key that wraps it. */
  readonly masterKeyId: string;
  readonly wrapped: string;
}

export interface KeyProvider {
  /** Id of the master key that `wrap` uses: the newest. */
  readonly newestKeyId: string;
  /** Wraps a data key, bound to its id, with the newest master key. */
  wrap(dataKeyId: string, dataKey: Uint8Array): Promise<WrappedKey>;
  /**
   * Opens what any of the master keys wrapped.
   * @throws {VaultError} `master-key-missing`, or `envelope-invalid` when it was changed or is another data key's.
   */
  unwrap(dataKeyId: string, wrapped: WrappedKey): Promise<Uint8Array>;
}
