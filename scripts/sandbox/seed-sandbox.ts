/**
 * Fills a testing database with what a developer needs for a first payment. It may run at every start: ids are fixed, existing
 * objects are left alone, and keys that still work are kept.
 */

import { createAuthenticator } from '../../api/identity/authenticator.js';
import { logoFileOf } from '../../api/merchants/logo-file.js';
import type { SandboxFile, SandboxKeys } from '../../api/pages/sandbox/sandbox-file.js';
import type { Config } from '../../config/index.js';
import { type Clock, systemClock } from '../../shared/clock.js';
import type { PageContact } from '../../shared/domain/merchant.js';
import { cardBrands } from '../../shared/domain/payment-method-catalog.js';
import type { Log } from '../../shared/log.js';
import type { Database } from '../../shared/store/database.js';
import { createMerchantLogoRepository } from '../../shared/store/merchant-logo.repository.js';
import { configureMethod } from '../provisioning/configure-method.js';
import { createClient } from '../provisioning/create-client.js';
import { createMerchant } from '../provisioning/create-merchant.js';
import { issueKey, type KeyOrder } from '../provisioning/issue-key.js';
import { openProvisioning, type Provisioning, ProvisioningError } from '../provisioning/provisioning.js';
import { sandboxLogo } from './sandbox-logo.js';
import { seedTestBins } from './seed-test-bins.js';

type SandboxConfig = Pick<
  Config,
  | 'environment'
  | 'apiKeyPepper'
  | 'publicBaseUrl'
  | 'operatorPort'
  | 'operatorUser'
  | 'operatorPassword'
  | 'sandboxProcessorUrl'
>;

interface SandboxMerchant {
  readonly id: number;
  readonly name: string;
  readonly legalName?: string;
  readonly taxId?: string;
  readonly pageContact?: PageContact;
}

/** Fixed ids make seeding repeatable. They are names, not secrets. */
const first = {
  clientId: 'cli_5a9db0c0000000000000000000000001',
  name: 'Sandbox',
  merchants: [
    // An invented number with a valid check digit: receipts show both.
    {
      id: 1001,
      name: 'Sandbox Books',
      legalName: 'Sandbox Books S.A.',
      taxId: '214835120018',
      pageContact: { address: 'Sarandí 690, Montevideo', email: 'help@books.example' },
    },
    { id: 1002, name: 'Sandbox Coffee' },
  ],
} as const;
const other = {
  clientId: 'cli_5a9db0c0000000000000000000000002',
  name: 'Another sandbox',
  merchants: [{ id: 2001, name: 'Another Shop' }],
} as const;
const granted = [first.merchants[0].id];

/** Runs `make` unless the object exists. A second process that makes it at the same time is not a failure. */
async function unlessThere(find: () => Promise<unknown>, make: () => Promise<unknown>): Promise<void> {
  if (await find()) return;
  try {
    await make();
  } catch (error) {
    if (!(error instanceof ProvisioningError) || !(await find())) throw error;
  }
}

async function seedMethods(provisioning: Provisioning, merchantId: number): Promise<void> {
  const { paymentMethods } = provisioning;
  const settings = {
    merchantIdentificationNumber: String(merchantId),
    terminalNumber: '00000001',
    paymentProcessor: { id: 'sandbox', acquirer: 'sandbox-acquirer' },
  };
  for (const id of cardBrands) {
    await unlessThere(
      () => paymentMethods.findPaymentMethod(merchantId, id),
      () => configureMethod(provisioning, { merchantId, id, mode: 'gateway', settings }),
    );
  }
}

/** Only the first merchant takes bank transfers. The others show a merchant that is not configured for them. */
async function seedTransfers(provisioning: Provisioning, merchantId: number): Promise<void> {
  const id = 'instant-transfer';
  const settings = {
    paymentFacilitator: { id: 'sandbox', merchantId: String(merchantId) },
    paymentProcessor: { acquirer: 'sandbox-acquirer' },
  };
  await unlessThere(
    () => provisioning.paymentMethods.findPaymentMethod(merchantId, id),
    () => configureMethod(provisioning, { merchantId, id, mode: 'payment-facilitator', settings }),
  );
}

/** Gives the first merchant a logo, so that the pages show its place. */
async function seedLogo(database: Database, { merchants, clock }: Provisioning, merchantId: number): Promise<void> {
  if ((await merchants.readMerchant(merchantId))?.logoUrl !== undefined) return;
  const bytes = sandboxLogo();
  const uploadedAt = clock.now();
  const { hash, contentType, path } = logoFileOf(merchantId, 'png', bytes);
  await createMerchantLogoRepository(database).saveLogo({ merchantId, hash, contentType, bytes, uploadedAt });
  await merchants.setLogo(merchantId, { logoUrl: path, logoContentType: contentType, logoUploadedAt: uploadedAt });
}

async function seedClient(
  provisioning: Provisioning,
  client: { readonly clientId: string; readonly name: string; readonly merchants: readonly SandboxMerchant[] },
): Promise<void> {
  const { clientId, name } = client;
  await unlessThere(
    () => provisioning.clients.findClient(clientId),
    () => createClient(provisioning, { id: clientId, name }),
  );
  for (const merchant of client.merchants) {
    await unlessThere(
      () => provisioning.merchants.findMerchant(merchant.id),
      () => createMerchant(provisioning, { ...merchant, clientId, country: 'UY', defaultCurrency: 'USD' }),
    );
    await seedMethods(provisioning, merchant.id);
  }
}

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => silent };

/** Keeps the earlier keys when all of them work with the rights that the sandbox promises. Otherwise issues new ones. */
async function keysOf(provisioning: Provisioning, earlier: SandboxKeys | undefined): Promise<SandboxKeys> {
  const { clients, config, clock } = provisioning;
  const { authenticate } = createAuthenticator({
    clients,
    pepper: config.apiKeyPepper,
    environment: config.environment,
    clock,
    log: silent,
  });
  const merchantsOf = async (clientId: string, key: string) => {
    const header = `Basic ${Buffer.from(`${clientId}:${key}`).toString('base64')}`;
    return (await authenticate(header))?.merchants;
  };
  if (
    earlier &&
    (await merchantsOf(first.clientId, earlier.primary)) === 'all' &&
    String(await merchantsOf(first.clientId, earlier.secondary)) === String(granted) &&
    (await merchantsOf(other.clientId, earlier.other)) === 'all'
  ) {
    return earlier;
  }
  const issue = async (order: KeyOrder) => (await issueKey(provisioning, order)).apiKey;
  return {
    primary: await issue({ clientId: first.clientId }),
    secondary: await issue({ clientId: first.clientId, merchantIds: granted }),
    other: await issue({ clientId: other.clientId }),
  };
}

/**
 * Seeds the sandbox and returns its credentials. The indexes have to exist. `earlier`: keys of a former run. Without them, or
 * when one of them does not work any more, new ones are issued.
 * @throws {ProvisioningError} in production, which has no sandbox
 */
export async function seedSandbox(
  database: Database,
  config: SandboxConfig,
  { earlier, clock = systemClock }: { earlier?: SandboxKeys; clock?: Clock } = {},
): Promise<SandboxFile> {
  if (config.environment === 'production') throw new ProvisioningError('There is no sandbox in production.');
  const provisioning = openProvisioning(database, config, clock);
  await seedClient(provisioning, first);
  await seedClient(provisioning, other);
  await seedTransfers(provisioning, first.merchants[0].id);
  await seedLogo(database, provisioning, first.merchants[0].id);
  await seedTestBins(database);
  const keys = await keysOf(provisioning, earlier);
  return {
    baseUrl: config.publicBaseUrl,
    clientId: first.clientId,
    apiKey: keys.primary,
    merchants: first.merchants.map(({ id, name }) => ({ id, name })),
    secondary: { clientId: first.clientId, apiKey: keys.secondary, merchants: granted },
    other: { clientId: other.clientId, apiKey: keys.other, merchants: other.merchants.map(({ id }) => ({ id })) },
    operator: {
      baseUrl: `http://127.0.0.1:${config.operatorPort}`,
      user: config.operatorUser,
      password: config.operatorPassword,
    },
    processor: { ledgerUrl: config.sandboxProcessorUrl === undefined ? '' : `${config.sandboxProcessorUrl}/ledger` },
  };
}
