/** Problems that production finds in the settings of the wallets together. */
interface WalletConfig {
  readonly walletAScriptUrl?: string | undefined;
  readonly walletAScriptClient?: string | undefined;
  readonly walletAScriptOrigins?: readonly string[] | undefined;
  readonly walletARootKeysFile?: string | undefined;
  readonly walletARecipientKeysFile?: string | undefined;
}

/** A script that could not be used, or whose tokens no pool could open, is reported at the start and not by a payer. */
const neededByScript = {
  walletAScriptClient: 'WALLET_A_SCRIPT_CLIENT',
  walletARootKeysFile: 'WALLET_A_ROOT_KEYS_FILE',
  walletARecipientKeysFile: 'WALLET_A_RECIPIENT_KEYS_FILE',
} as const;

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
  for (const [name, env] of Object.entries(neededByScript) as [keyof typeof neededByScript, string][]) {
    if (config[name] === undefined) problems.push(`${env} is missing: WALLET_A_SCRIPT_URL needs it`);
  }
  return problems;
}
