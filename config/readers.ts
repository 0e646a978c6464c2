/**
 * Which process reads which setting. A process gets only these settings, and a secret that it does not read may be missing: the pool that
 * calls addresses of merchants holds no key of the vault. Types of the pools, `.env.example`, the table of docs/configuration.md and the
 * guard of docker-compose.yml are derived from this list.
 */
import { type ProcessorSettingName, processorSettings } from './processor-settings.js';
import { type SettingName, settings } from './schema.js';
import { type ThreeDsServerSettingName, threeDsServerSettings } from './threeds-settings.js';
import { type UpdateSettingName, updateSettings } from './update-settings.js';

/** One line of the Procfile each. */
export const processNames = ['web', 'wallet', 'threeds', 'processor', 'qr', 'expiry', 'callback'] as const;
export type ProcessName = (typeof processNames)[number];

const everyone = processNames;
const pools = ['wallet', 'threeds', 'processor', 'qr', 'expiry', 'callback'] as const;
const web = ['web'] as const;
/** The pools that call processors; the API has no credentials for any processor. */
const callers = ['processor', 'qr'] as const;

const processorReaders = Object.fromEntries(Object.keys(processorSettings).map((name) => [name, callers])) as Record<
  ProcessorSettingName,
  typeof callers
>;

/** The API checks the signatures of processors' updates. */
const updateReaders = Object.fromEntries(Object.keys(updateSettings).map((name) => [name, web])) as Record<
  UpdateSettingName,
  typeof web
>;
const threeDsServerReaders = Object.fromEntries(
  Object.keys(threeDsServerSettings).map((name) => [name, ['threeds']]),
) as unknown as Record<ThreeDsServerSettingName, readonly ['threeds']>;

export const readers = {
  environment: everyone,
  logLevel: everyone,
  operatorHost: everyone,
  operatorUser: everyone,
  operatorPassword: everyone,
  mongodbUri: everyone,
  redisUrl: everyone,
  redisPrefix: everyone,
  allowInsecureStores: everyone,
  allowOldMongodb: everyone,
  batchWrites: everyone,
  workerOperatorPort: pools,
  workerConcurrency: pools,

  host: web,
  port: web,
  operatorPort: web,
  trustedProxies: web,
  linksUrl: web,
  apiKeyPepper: web,
  accessTokenKey: web,
  fingerprintKey: web,
  digestKey: web,
  sessionLifetimeMinutes: web,
  writesPerSecond: web,
  readsPerSecond: web,
  signInFailuresPerMinute: web,
  merchantMissesPerMinute: web,
  interactivePaymentsPerMinute: web,
  interactiveSessionsPerMinute: web,
  interactiveCustomersPerMinute: web,
  interactiveReadsPerMinute: web,
  pagesOperatorName: web,
  pagesPrivacyUrl: web,
  pagesTermsUrl: web,
  pagesSupportUrl: web,
  sandboxFile: web,
  threeDsProvidersFile: web,
  walletAMerchantId: web,
  walletAScriptUrl: web,
  walletAScriptClient: web,
  walletAScriptOrigins: web,
  walletAAuthJwtKeysFile: web,
  responseWaitMs: web,
  drainDelayMs: web,
  panInText: web,
  panInReference: web,

  publicBaseUrl: ['web', 'threeds'],
  // Seals and opens cards, cvcs and wallet tokens.
  vaultMasterKeys: ['web', 'wallet', 'threeds', 'processor'],
  sandboxProcessorUrl: ['web', 'threeds', 'processor', 'qr'],
  // Signs and checks the outcomes that are sent back to the API over Redis.
  replyKey: ['web', 'threeds', 'processor', 'qr'],
  ...processorReaders,
  ...updateReaders,
  ...threeDsServerReaders,
  // The API only needs to know whether there is such a server: the catalogue of 3DS providers shows that.
  emv3dsUrl: ['web', 'threeds'],
  processorTimeoutMs: ['threeds', 'processor', 'qr'],
  cardTestingThrottles: ['processor'],
  timeScale: ['web', 'threeds', 'processor', 'qr', 'callback'],
  callbackAllowPrivateNetworks: ['web', 'callback'],
  callbackProxyUrl: ['callback'],
  walletAGatewayName: ['web', 'wallet'],
  walletARootKeysFile: ['web', 'wallet'],
  // The API only checks whether the file is set; the pool reads it.
  walletARecipientKeysFile: ['web', 'wallet'],
  walletBRootCertificatesFile: ['web', 'wallet'],
  walletBSigningWindowSeconds: ['wallet'],
} as const satisfies Record<SettingName, readonly ProcessName[]>;

/** The settings that at least one of these processes reads. */
export type ReadBy<P extends ProcessName> = {
  [N in SettingName]: P extends (typeof readers)[N][number] ? N : never;
}[SettingName];

/** Returns the settings that at least one of these processes reads, in the order of the schema. */
export const settingsOf = <P extends ProcessName>(names: readonly P[]): ReadBy<P>[] =>
  (Object.keys(settings) as SettingName[]).filter((setting) =>
    (readers[setting] as readonly ProcessName[]).some((reader) => (names as readonly ProcessName[]).includes(reader)),
  ) as ReadBy<P>[];

/** Returns the names of the processes that read a setting, for documentation. */
export function readersText(name: SettingName): string {
  const names: readonly ProcessName[] = readers[name];
  if (names.length === processNames.length) return 'all';
  return names === pools ? 'all pools' : names.join(', ');
}
