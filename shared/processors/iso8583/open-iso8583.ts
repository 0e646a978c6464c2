/** Creates the adapter from the settings of the installation. */
import { readFileSync } from 'node:fs';
import { authoritiesProblem, identityProblem } from '../../../config/certificate-files.js';
import { type Config, ConfigError } from '../../../config/index.js';
import type { iso8583Settings } from '../../../config/iso8583-settings.js';
import { defined } from '../../domain/defined.js';
import type { Log } from '../../log.js';
import type { Database } from '../../store/database.js';
import type { Processor } from '../processor.js';
import type { IsoIdentity } from './adapter/settings.js';
import { identityMisfit } from './adapter/specimens.js';
import { createIso8583Processor } from './create-iso8583-processor.js';
import type { Address } from './line/socket.js';
import { loadProfile } from './profile/load-profile.js';
import type { Profile } from './profile/profile.js';

export type Iso8583Config = Partial<Pick<Config, keyof typeof iso8583Settings>> & Pick<Config, 'processorTimeoutMs'>;

function profileOf({ iso8583Profile = '1987-ascii' }: Iso8583Config): Profile {
  try {
    return loadProfile(iso8583Profile);
  } catch (error) {
    throw new ConfigError([`ISO8583_PROFILE: ${(error as Error).message}`]);
  }
}

function fileOf(env: string, path: string | undefined): Buffer | undefined {
  try {
    return path === undefined ? undefined : readFileSync(path);
  } catch (error) {
    throw new ConfigError([`${env}: ${(error as Error).message}`]);
  }
}

function tlsOf(config: Iso8583Config): Pick<Address, 'tls'> {
  if (config.iso8583Tls === false) return {};
  const ca = fileOf('ISO8583_TLS_CA_FILE', config.iso8583TlsCaFile);
  const certificate = fileOf('ISO8583_TLS_CERTIFICATE_FILE', config.iso8583TlsCertificateFile);
  const key = fileOf('ISO8583_TLS_KEY_FILE', config.iso8583TlsKeyFile);
  const ofAuthorities = ca && authoritiesProblem(ca.toString('latin1'));
  if (ofAuthorities) throw new ConfigError([`ISO8583_TLS_CA_FILE: ${config.iso8583TlsCaFile} ${ofAuthorities}`]);
  const ofIdentity = certificate && key && identityProblem(certificate, key);
  if (ofIdentity) throw new ConfigError([`ISO8583_TLS_CERTIFICATE_FILE with ISO8583_TLS_KEY_FILE ${ofIdentity}`]);
  return { tls: defined({ ca, certificate, key }) };
}

const identitySettings: Readonly<Record<string, string>> = {
  18: 'ISO8583_MERCHANT_CATEGORY',
  32: 'ISO8583_ACQUIRER_ID',
  41: 'ISO8583_TERMINAL',
  42: 'ISO8583_MERCHANT_ID',
};

/** @throws {ConfigError} when a value of the settings does not fit its field of the profile */
function checkIdentity(profile: Profile, identity: IsoIdentity): void {
  const misfit = identityMisfit(profile, identity);
  if (!misfit) return;
  const { field, problem } = misfit;
  const env = identitySettings[field] ?? 'ISO8583_PROFILE';
  throw new ConfigError([`${env}: field ${field} of the profile ${profile.name} ${problem}`]);
}

/**
 * Returns the adapter; `undefined` when the installation is not configured for it.
 * @throws {ConfigError} when a file of its settings cannot be used
 */
export function openIso8583(config: Iso8583Config, log: Log, database: Database): Processor | undefined {
  const { iso8583Host: host, iso8583Port: port, iso8583Terminal: terminal, iso8583AcquirerId: acquirerId } = config;
  if (!host || !port || !terminal || !acquirerId) return undefined;
  const { iso8583MerchantId: merchantId, iso8583MerchantCategory: merchantCategory } = config;
  const profile = profileOf(config);
  const timeZone = config.iso8583TimeZone ?? 'UTC';
  const identity: IsoIdentity = { terminal, acquirerId, timeZone, ...defined({ merchantId, merchantCategory }) };
  checkIdentity(profile, identity);
  return createIso8583Processor({
    profile,
    identity,
    address: { host, port, ...tlsOf(config) },
    connections: config.iso8583Connections ?? 1,
    echoMs: (config.iso8583EchoSeconds ?? 60) * 1_000,
    logMessages: config.iso8583MessageLog ?? false,
    timeoutMs: config.processorTimeoutMs,
    database,
    log,
  });
}
