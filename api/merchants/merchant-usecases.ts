/** The flows about merchants as endpoints call them. */
import type { MerchantDeps } from './merchant-deps.js';
import { readLogo, storeLogo } from './merchant-logo.js';
import { listMerchants, readMerchant } from './merchants.js';
import {
  createPaymentMethod,
  deletePaymentMethod,
  listPaymentMethods,
  readPaymentMethod,
  replacePaymentMethod,
} from './payment-methods.js';

/** A flow without its dependencies. */
type Bound<F> = F extends (deps: MerchantDeps, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

declare module '../deps.js' {
  interface UseCases {
    listMerchants: Bound<typeof listMerchants>;
    readMerchant: Bound<typeof readMerchant>;
    listPaymentMethods: Bound<typeof listPaymentMethods>;
    readPaymentMethod: Bound<typeof readPaymentMethod>;
    createPaymentMethod: Bound<typeof createPaymentMethod>;
    replacePaymentMethod: Bound<typeof replacePaymentMethod>;
    deletePaymentMethod: Bound<typeof deletePaymentMethod>;
    storeLogo: Bound<typeof storeLogo>;
    readLogo: Bound<typeof readLogo>;
  }
}

const bind =
  <Rest extends unknown[], Result>(flow: (deps: MerchantDeps, ...rest: Rest) => Result, deps: MerchantDeps) =>
  (...rest: Rest): Result =>
    flow(deps, ...rest);

export function makeMerchantUseCases(deps: MerchantDeps) {
  return {
    listMerchants: bind(listMerchants, deps),
    readMerchant: bind(readMerchant, deps),
    listPaymentMethods: bind(listPaymentMethods, deps),
    readPaymentMethod: bind(readPaymentMethod, deps),
    createPaymentMethod: bind(createPaymentMethod, deps),
    replacePaymentMethod: bind(replacePaymentMethod, deps),
    deletePaymentMethod: bind(deletePaymentMethod, deps),
    storeLogo: bind(storeLogo, deps),
    readLogo: bind(readLogo, deps),
  };
}
