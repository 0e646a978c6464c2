import type { Clock } from '../../shared/clock.js';
import type { Hints } from '../../shared/queue/hints.js';
import type { WalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import type { WalletOpeningRepository } from '../../shared/store/wallet-opening.repository.js';
import type { WalletUseRepository } from '../../shared/store/wallet-use.repository.js';
import type { Vault } from '../../shared/vault/vault.js';

/** What opening a wallet token needs of an API process. */
export interface WalletTokenDeps {
  readonly clock: Clock;
  readonly integrations: Pick<WalletIntegrationRepository, 'find'>;
  readonly openings: WalletOpeningRepository;
  readonly uses: WalletUseRepository;
  readonly vault: Vault;
  readonly hints: Hints;
}
