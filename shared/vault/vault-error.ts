/** What can be wrong with a sealed value or with the keys of the vault. */
export type VaultErrorCode =
  /** The envelope was changed, or belongs to another record, field or client. */
  | 'envelope-invalid'
  /** No data key has this id: it never existed, or it was destroyed with what it sealed. Or the envelope itself was destroyed. */
  | 'key-unknown'
  /** No master key of the configuration opens the data key, or none is held by all processes. */
  | 'master-key-missing'
  /** MongoDB did not give or take a data key in time: try again. */
  | 'keys-unavailable';

/** Names the record and the key, never what was sealed. */
export class VaultError extends Error {
  constructor(
    readonly code: VaultErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'VaultError';
  }
}
