/** Sets a merchant's credentials at a processor. They are sealed at once and never shown afterwards. */
import type { Config } from '../../config/config.js';
import { limits } from '../../config/limits.js';
import {
  credentialsBinding,
  credentialsId,
  type ProcessorCredentialsRepository,
  type ProcessorCredentialsRow,
} from '../../shared/store/processor-credentials.repository.js';
import type { Vault } from '../../shared/vault/vault.js';
import { misshapenIn } from './credential-shapes.js';
import { ProvisioningError } from './provisioning.js';

export interface CredentialsOrder {
  readonly clientId: string;
  readonly merchantId: number;
  readonly processor: string;
  /** Credentials that the adapter takes: all of them are required, and no others are allowed. */
  readonly names: readonly string[];
  readonly values: unknown;
  /** Keys of the other environment are refused, where their form shows it. */
  readonly environment: Config['environment'];
  readonly now: Date;
}

/** @throws {ProvisioningError} naming the credentials that are missing, unknown, not text, or of another format or environment; never a value */
function checkValues({ names, values, processor, environment }: CredentialsOrder): Record<string, string> {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new ProvisioningError('Not set: the file has to hold one JSON object of texts.');
  }
  const given = values as Record<string, unknown>;
  const right = (value: unknown) =>
    typeof value === 'string' && value !== '' && value.length <= limits.credentialLengthMax;
  const wrong = names.filter((name) => !right(given[name]));
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (wrong.length > 0) throw new ProvisioningError(`Not set: ${processor} needs a text for ${wrong.join(', ')}.`);
  if (unknown.length > 0) throw new ProvisioningError(`Not set: ${processor} takes no ${unknown.join(', ')}.`);
  const texts = given as Record<string, string>;
  const misshapen = misshapenIn(processor, texts, environment);
  if (misshapen.length > 0) throw new ProvisioningError(`Not set: ${misshapen.join('; ')}.`);
  return texts;
}

export async function setProcessorCredentials(
  { vault, credentials }: { vault: Pick<Vault, 'seal'>; credentials: Pick<ProcessorCredentialsRepository, 'save'> },
  order: CredentialsOrder,
): Promise<void> {
  const values = checkValues(order);
  const { clientId, merchantId, processor, names, now } = order;
  const row = { _id: credentialsId(merchantId, processor), clientId, merchantId, processor };
  const sealed = await vault.seal('wallet', JSON.stringify(values), credentialsBinding(row));
  await credentials.save({ ...row, names, sealed, updatedAt: now });
}

/**
 * Whether these credentials are for another account than the stored ones. The payments of the stored account are not found there.
 * @param name of the credential that identifies the account; `undefined` when none does: then nothing is known
 * @throws {VaultError} when the stored credentials cannot be opened
 */
export async function isOtherAccount(
  vault: Pick<Vault, 'open'>,
  stored: ProcessorCredentialsRow,
  values: unknown,
  name: string | undefined,
): Promise<boolean> {
  if (name === undefined) return false;
  const opened = await vault.open(stored.sealed, credentialsBinding(stored));
  const accountIn = (texts: unknown) => (texts as Record<string, unknown> | null)?.[name];
  const account = accountIn(values);
  // A value that is not text is refused, by its name, when it is set.
  return typeof account === 'string' && account !== accountIn(JSON.parse(opened.toString('utf8')));
}
