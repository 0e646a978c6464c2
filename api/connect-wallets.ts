/** Builds the flows about wallets of an API process. */
import type { Config, WebConfig } from '../config/index.js';
import type { Clock } from '../shared/clock.js';
import type { AuditRepository } from '../shared/store/audit.repository.js';
import type { Database } from '../shared/store/database.js';
import type { MerchantPaymentMethodRepository } from '../shared/store/merchant-payment-method.repository.js';
import { createWalletIntegrationRepository } from '../shared/store/wallet-integration.repository.js';
import { openVault } from '../shared/vault/open-vault.js';
import { readKeyFile } from '../shared/wallets/read-key-file.js';
import { type AuthJwtKey, parseAuthJwtKeys } from './wallets/auth-jwt.js';
import { makeWalletUseCases } from './wallets/wallet-usecases.js';

/** Newest first; none where no file is named. @throws {ConfigError} when the file cannot be used. */
export function loadAuthJwtKeys({ walletAAuthJwtKeysFile: file }: Pick<Config, 'walletAAuthJwtKeysFile'>) {
  return file === undefined ? [] : readKeyFile('WALLET_A_AUTH_JWT_KEYS_FILE', file, parseAuthJwtKeys);
}

export function connectWallets(given: {
  readonly config: WebConfig;
  readonly clock: Clock;
  readonly audit: AuditRepository;
  readonly database: Database;
  readonly methods: MerchantPaymentMethodRepository;
  readonly authJwtKeys: readonly AuthJwtKey[];
}) {
  const { audit, config, clock, database, methods, authJwtKeys } = given;
  return makeWalletUseCases({
    config,
    clock,
    methods,
    integrations: createWalletIntegrationRepository(database),
    vault: openVault(database, config, clock),
    audit,
    authJwtKeys,
  });
}
