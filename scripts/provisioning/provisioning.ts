import type { Config } from '../../config/index.js';
import type { Clock } from '../../shared/clock.js';
import { type ClientRepository, createClientRepository } from '../../shared/store/client.repository.js';
import type { Database } from '../../shared/store/database.js';
import { createMerchantRepository, type MerchantRepository } from '../../shared/store/merchant.repository.js';
import {
  createMerchantPaymentMethodRepository,
  type MerchantPaymentMethodRepository,
} from '../../shared/store/merchant-payment-method.repository.js';

/** What an operator's command works with. */
export interface Provisioning {
  readonly clients: ClientRepository;
  readonly merchants: MerchantRepository;
  readonly paymentMethods: MerchantPaymentMethodRepository;
  readonly config: Pick<Config, 'environment' | 'apiKeyPepper'>;
  readonly clock: Clock;
}

/** Says in one sentence why a command was not done. */
export class ProvisioningError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProvisioningError';
  }
}

export function openProvisioning(database: Database, config: Provisioning['config'], clock: Clock): Provisioning {
  return {
    clients: createClientRepository(database),
    merchants: createMerchantRepository(database, clock),
    paymentMethods: createMerchantPaymentMethodRepository(database, clock),
    config,
    clock,
  };
}
