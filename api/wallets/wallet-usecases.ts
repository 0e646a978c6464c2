/** The flows about wallet integrations as endpoints call them. */
import { readWalletAConfiguration, walletProblem } from './wallet-configuration.js';
import type { WalletDeps } from './wallet-deps.js';
import { disableWallet, enableWalletA, enableWalletB, readWallets, uploadCertificate } from './wallet-integrations.js';

/** A flow without its dependencies. */
type Bound<F> = F extends (deps: WalletDeps, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

declare module '../deps.js' {
  interface UseCases {
    readWallets: Bound<typeof readWallets>;
    enableWalletA: Bound<typeof enableWalletA>;
    enableWalletB: Bound<typeof enableWalletB>;
    disableWallet: Bound<typeof disableWallet>;
    uploadCertificate: Bound<typeof uploadCertificate>;
    readWalletAConfiguration: Bound<typeof readWalletAConfiguration>;
    walletProblem: Bound<typeof walletProblem>;
  }
}

const bind =
  <Rest extends unknown[], Result>(flow: (deps: WalletDeps, ...rest: Rest) => Result, deps: WalletDeps) =>
  (...rest: Rest): Result =>
    flow(deps, ...rest);

export function makeWalletUseCases(deps: WalletDeps) {
  return {
    readWallets: bind(readWallets, deps),
    enableWalletA: bind(enableWalletA, deps),
    enableWalletB: bind(enableWalletB, deps),
    disableWallet: bind(disableWallet, deps),
    uploadCertificate: bind(uploadCertificate, deps),
    readWalletAConfiguration: bind(readWalletAConfiguration, deps),
    walletProblem: bind(walletProblem, deps),
  };
}
