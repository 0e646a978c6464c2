import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { type ClientRepository, createClientRepository } from '../../shared/store/client.repository.js';
import type { Database } from '../../shared/store/database.js';
import { createMerchantRepository, type MerchantRepository } from '../../shared/store/merchant.repository.js';
import {
  createMerchantPaymentMethodRepository,
  type MerchantPaymentMethodRepository,
} from '../../shared/store/merchant-payment-method.repository.js';

/** Dependencies of an operator's command. */
export interface Provisioning {
  readonly clients: ClientRepository;
  readonly merchants: MerchantRepository;
  readonly paymentMethods: MerchantPaymentMethodRepository;
  readonly config: Pick<Config, 'environment' | 'apiKeyPepper'>;
  readonly clock: Clock;
}

/** Says in one sentence why a command did nothing. */
export class ProvisioningError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProvisioningError';
  }
}

/** @throws {ProvisioningError} when there is no such client */
export async function checkClient({ clients }: Pick<Provisioning, 'clients'>, clientId: string): Promise<void> {
  if (!(await clients.findClient(clientId))) throw new ProvisioningError(`There is no client ${clientId}.`);
}

/** Checks a name that lists, pages and messages show. @throws {ProvisioningError} when it is empty, too long or not one line */
export function checkName(what: string, text: string): void {
  if (text.trim() === '' || text.length > limits.nameLengthMax || /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text)) {
    throw new ProvisioningError(`The ${what} has to be one line of 1 to ${limits.nameLengthMax} characters.`);
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
