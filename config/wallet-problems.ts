/** Problems that production finds in the settings of the wallets together. */
import type { Config } from './config.js';
import { walletSettings } from './wallet-settings.js';

type WalletConfig = Partial<Pick<Config, keyof typeof walletSettings>>;

/** A script that could not be used, or whose tokens no pool could open, is reported at the start and not by a payer. */
const neededByScript = ['walletAScriptClient', 'walletARootKeysFile', 'walletARecipientKeysFile'] as const;

const CLIENT_PATH = /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/;

export function walletProblems(config: WalletConfig): string[] {
  const { walletAScriptUrl: url, walletAScriptClient: client, walletAScriptOrigins: origins = [] } = config;
  const problems: string[] = [];
  if (url === undefined) {
    if (client !== undefined || origins.length > 0) {
      problems.push('WALLET_A_SCRIPT_URL is missing: WALLET_A_SCRIPT_CLIENT and WALLET_A_SCRIPT_ORIGINS belong to it');
    }
    return problems;
  }
  if (!url.startsWith('https:')) problems.push('WALLET_A_SCRIPT_URL must be https in production');
  if (client !== undefined && !CLIENT_PATH.test(client)) {
    problems.push('WALLET_A_SCRIPT_CLIENT must be names joined by dots');
  }
  if (origins.some((origin) => !origin.startsWith('https:'))) {
    problems.push('WALLET_A_SCRIPT_ORIGINS must be https in production');
  }
  for (const name of neededByScript) {
    if (config[name] === undefined)
      problems.push(`${walletSettings[name].env} is missing: WALLET_A_SCRIPT_URL needs it`);
  }
  return problems;
}
