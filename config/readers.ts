/**
 * Which process reads which setting. A process is given nothing else, and a secret that it does not read need not be there:
 * the pool that calls strangers holds no key of the vault. Types of the pools, `.env.example`, the table of
 * docs/configuration.md and the guard of docker-compose.yml follow from this list.
 */
import { type ProcessorSettingName, processorSettings } from './processor-settings.js';
import { type SettingName, settings } from './schema.js';
import { type ThreeDsServerSettingName, threeDsServerSettings } from './threeds-settings.js';
import { type UpdateSettingName, updateSettings } from './update-settings.js';

/** A line of the Procfile each. */
export const processNames = ['web', 'wallet', 'threeds', 'processor', 'qr', 'expiry', 'callback'] as const;
export type ProcessName = (typeof processNames)[number];

const everyone = processNames;
const pools = ['wallet', 'threeds', 'processor', 'qr', 'expiry', 'callback'] as const;
const web = ['web'] as const;
/** The pools that call processors; the API has no credentials for one. */
const callers = ['processor', 'qr'] as const;

const processorReaders = Object.fromEntries(Object.keys(processorSettings).map((name) => [name, callers])) as Record<
  ProcessorSettingName,
  typeof callers
>;

/** The API checks signatures of processors' updates. */
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
  // What cards, cvcs and wallet tokens are sealed and opened with.
  vaultMasterKeys: ['web', 'wallet', 'threeds', 'processor'],
  sandboxProcessorUrl: ['web', 'threeds', 'processor', 'qr'],
  // Signs and checks the outcomes that go back to the API over Redis.
  replyKey: ['web', 'threeds', 'processor', 'qr'],
  ...processorReaders,
  ...updateReaders,
  ...threeDsServerReaders,
  // The API only wants to know whether there is such a server: the catalogue of 3DS providers says so.
  emv3dsUrl: ['web', 'threeds'],
  processorTimeoutMs: ['threeds', 'processor', 'qr'],
  cardTestingThrottles: ['processor'],
  timeScale: ['web', 'threeds', 'processor', 'qr', 'callback'],
  callbackAllowPrivateNetworks: ['web', 'callback'],
  callbackProxyUrl: ['callback'],
  walletAGatewayName: ['web', 'wallet'],
  walletARootKeysFile: ['web', 'wallet'],
  // The API asks only whether it is named; the file is read by the pool.
  walletARecipientKeysFile: ['web', 'wallet'],
  walletBRootCertificatesFile: ['web', 'wallet'],
  walletBSigningWindowSeconds: ['wallet'],
} as const satisfies Record<SettingName, readonly ProcessName[]>;

/** The settings that at least one of these processes reads. */
export type ReadBy<P extends ProcessName> = {
  [N in SettingName]: P extends (typeof readers)[N][number] ? N : never;
}[SettingName];

/** The settings that at least one of these processes reads, in the order of the schema. */
export const settingsOf = <P extends ProcessName>(names: readonly P[]): ReadBy<P>[] =>
  (Object.keys(settings) as SettingName[]).filter((setting) =>
    (readers[setting] as readonly ProcessName[]).some((reader) => (names as readonly ProcessName[]).includes(reader)),
  ) as ReadBy<P>[];

/** Who reads a setting, for people. */
export function readersText(name: SettingName): string {
  const names: readonly ProcessName[] = readers[name];
  if (names.length === processNames.length) return 'all';
  return names === pools ? 'all pools' : names.join(', ');
}
