/** The configuration of an installation, and data that stories do not test: read without a database, so that it costs no points. */
import type { MerchantPaymentMethod, PaymentMethodSettings } from '../../shared/domain/merchant.js';
import type { ThreeDsSettings } from '../../shared/domain/threeds/settings.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { BinTable } from '../../shared/store/bin-range.repository.js';
import type { CustomerRepository } from '../../shared/store/customer.repository.js';
import type { MerchantRepository } from '../../shared/store/merchant.repository.js';
import type { MerchantPaymentMethodRepository } from '../../shared/store/merchant-payment-method.repository.js';
import { EPOCH_MS } from './world.js';

export const CLIENT = 'cli_a';
export const MERCHANT = 1001;
export const publicBaseUrl = 'https://pay.test';
const now = new Date(EPOCH_MS);

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLog,
};

const noop = () => undefined;
export const noMetrics = {
  ...{ request: noop, step: noop, outcome: noop, event: noop, waiting: noop, queue: noop },
  ...{
    openRoutes: noop,
    bookFindings: noop,
    orphans: noop,
    lines: noop,
    forgetQueues: noop,
    forgetLines: noop,
    onScrape: noop,
  },
} as unknown as Metrics;

const merchant = {
  id: MERCHANT,
  clientId: CLIENT,
  name: 'Shop',
  status: 'active',
  createdAt: now,
  updatedAt: now,
} as const;

// Only the methods that stories use.
export const merchants = { findMerchant: async () => merchant } as unknown as MerchantRepository;
export const customers = { find: async () => undefined } as unknown as CustomerRepository;
export const bins = { find: async () => undefined } as unknown as BinTable;

/** Settings by which a merchant takes cards and bank transfers. */
export interface MethodSettings {
  readonly card: PaymentMethodSettings;
  readonly threeDs?: ThreeDsSettings;
}

export const methodsOf = ({ card, threeDs }: MethodSettings): MerchantPaymentMethodRepository => {
  const methods: readonly MerchantPaymentMethod[] = [
    {
      ...{ merchantId: MERCHANT, id: 'visa', mode: 'gateway', enabled: true, createdAt: now, updatedAt: now },
      settings: card,
      ...(threeDs && { threeDs }),
    },
    {
      ...{ merchantId: MERCHANT, id: 'instant-transfer', mode: 'payment-facilitator', enabled: true },
      ...{ createdAt: now, updatedAt: now },
      settings: { paymentFacilitator: { id: 'facilitator', merchantId: '1' }, paymentProcessor: { acquirer: 'bank' } },
    },
  ];
  const find = async (_merchantId: number, id: string) => methods.find((method) => method.id === id);
  return {
    findPaymentMethod: find,
    findPaymentMethodsOf: async () => methods,
  } as unknown as MerchantPaymentMethodRepository;
};
