/** The flows about 3D Secure as endpoints call them. */
import { checkThreeDs } from './evaluate-threeds.js';
import { listThreeDsSessions } from './list-threeds-sessions.js';
import type { ThreeDsDeps } from './threeds-deps.js';
import {
  createThreeDsSettings,
  listProviders,
  readProvider,
  readThreeDsSettings,
  replaceThreeDsSettings,
} from './threeds-settings.js';

/** A flow without its dependencies. */
type Bound<F> = F extends (deps: ThreeDsDeps, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

declare module '../deps.js' {
  interface UseCases {
    listThreeDsProviders: Bound<typeof listProviders>;
    readThreeDsProvider: Bound<typeof readProvider>;
    readThreeDsSettings: Bound<typeof readThreeDsSettings>;
    createThreeDsSettings: Bound<typeof createThreeDsSettings>;
    replaceThreeDsSettings: Bound<typeof replaceThreeDsSettings>;
    checkThreeDs: Bound<typeof checkThreeDs>;
    listThreeDsSessions: Bound<typeof listThreeDsSessions>;
  }
}

const bind =
  <Rest extends unknown[], Result>(flow: (deps: ThreeDsDeps, ...rest: Rest) => Result, deps: ThreeDsDeps) =>
  (...rest: Rest): Result =>
    flow(deps, ...rest);

export function makeThreeDsUseCases(deps: ThreeDsDeps) {
  return {
    listThreeDsProviders: bind(listProviders, deps),
    readThreeDsProvider: bind(readProvider, deps),
    readThreeDsSettings: bind(readThreeDsSettings, deps),
    createThreeDsSettings: bind(createThreeDsSettings, deps),
    replaceThreeDsSettings: bind(replaceThreeDsSettings, deps),
    checkThreeDs: bind(checkThreeDs, deps),
    listThreeDsSessions: bind(listThreeDsSessions, deps),
  };
}
