/** Problems of the settings that a process reads which count only in production, each as a sentence that names the setting. */
import { adyenProductionProblems } from './adyen-problems.js';
import type { Config } from './config.js';
import { settings } from './schema.js';
import { storeProblems } from './store-problems.js';
import { walletProblems } from './wallet-problems.js';

const PASSWORD_LENGTH_MIN = 16;

/** Finds keys that serve two purposes: such a key breaks both when it leaks once (docs/security.md#one-key-one-purpose). */
function sharedKeyProblems(config: Partial<Config>): string[] {
  const owners = new Map<string, string>();
  for (const { key } of config.vaultMasterKeys ?? []) owners.set(key.toString('hex'), settings.vaultMasterKeys.env);
  const problems: string[] = [];
  for (const name of ['apiKeyPepper', 'accessTokenKey', 'fingerprintKey', 'digestKey', 'replyKey'] as const) {
    const key = config[name]?.toString('hex');
    if (key === undefined) continue;
    const owner = owners.get(key);
    if (owner) problems.push(`${settings[name].env} must not be the same key as ${owner}`);
    else owners.set(key, settings[name].env);
  }
  return problems;
}

/**
 * Checks everything that could be parsed, so that one message names every problem at once.
 * @param config settings that the process does not read, or that are unusable, are absent
 */
export function productionProblems(config: Partial<Config>): string[] {
  const problems: string[] = sharedKeyProblems(config);
  if ((config.operatorPassword?.length ?? PASSWORD_LENGTH_MIN) < PASSWORD_LENGTH_MIN) {
    problems.push(`OPERATOR_PASSWORD must have at least ${PASSWORD_LENGTH_MIN} characters`);
  }
  if (config.sandboxProcessorUrl !== undefined) {
    problems.push('SANDBOX_PROCESSOR_URL names the test processor, which production refuses: remove it');
  }
  if (config.sandboxUpdateSecret !== undefined) {
    problems.push('SANDBOX_UPDATE_SECRET is for the test processor, which production refuses: remove it');
  }
  if (config.sandboxFile !== undefined) {
    problems.push('SANDBOX_FILE would show credentials to everybody, which production refuses: remove it');
  }
  if (config.publicBaseUrl?.startsWith('https:') === false)
    problems.push('PUBLIC_BASE_URL must be https in production');
  if (config.linksUrl?.startsWith('https:') === false) problems.push('LINKS_URL must be https in production');
  if (config.callbackAllowPrivateNetworks) {
    problems.push('CALLBACK_ALLOW_PRIVATE_NETWORKS must not be true in production');
  }
  if (config.emv3dsUrl?.startsWith('https:') === false) problems.push('EMV3DS_URL must be https in production');
  if ((config.timeScale ?? 1) !== 1) problems.push('TIME_SCALE must be 1 in production');
  return [...problems, ...storeProblems(config), ...walletProblems(config), ...adyenProductionProblems(config)];
}
