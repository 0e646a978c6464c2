/** THE LIST of 3DS provider adapters. A new one is a folder, a line here, a line in `codes.ts` and a row of the catalogue. */
import type { Config } from '../../config/index.js';
import { isProviderOf, type ThreeDsProviderCode } from './codes.js';
import { openEmv3dsProvider, type ServerConfig } from './emv3ds/create-emv3ds-provider.js';
import type { ThreeDsProvider } from './provider.js';
import { createSandboxProvider } from './sandbox/create-sandbox-provider.js';

type ProviderConfig = Pick<Config, 'environment' | 'sandboxProcessorUrl'> & ServerConfig;

/** Makes an adapter; `undefined`: this installation has no settings for it. */
type Create = (config: ProviderConfig) => ThreeDsProvider | undefined;

const adapters = {
  // The test processor also acts as the issuer.
  sandbox: ({ sandboxProcessorUrl: baseUrl }) => (baseUrl === undefined ? undefined : createSandboxProvider(baseUrl)),
  emv3ds: openEmv3dsProvider,
} as const satisfies Record<ThreeDsProviderCode, Create>;

export interface ThreeDsProviders {
  /** `undefined` for a code that is unknown or not configured here. */
  get(code: string): ThreeDsProvider | undefined;
  close(): Promise<void>;
}

/** Makes every adapter that the configuration allows. Connections are opened when they are first needed. */
export function createThreeDsProviders(config: ProviderConfig): ThreeDsProviders {
  const made = new Map<string, ThreeDsProvider>();
  for (const [code, create] of Object.entries(adapters)) {
    const provider = isProviderOf(config, code) ? create(config) : undefined;
    if (provider) made.set(code, provider);
  }
  return {
    get: (code) => made.get(code),
    async close() {
      await Promise.all([...made.values()].map((provider) => provider.close()));
    },
  };
}
