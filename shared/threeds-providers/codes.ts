/** The codes of the providers that have an adapter, in a file without adapters: the API may import the codes, but never an adapter. */
const threeDsProviderCodes = ['sandbox', 'emv3ds'] as const;
export type ThreeDsProviderCode = (typeof threeDsProviderCodes)[number];

/** The settings that decide which providers an installation has. */
export interface Installation {
  readonly environment: 'testing' | 'production';
  readonly sandboxProcessorUrl?: string | undefined;
  readonly emv3dsUrl?: string | undefined;
}

/** Every installation in testing offers the test provider; a real provider is offered when its server is configured. */
const offered: Readonly<Record<ThreeDsProviderCode, (installation: Installation) => boolean>> = {
  sandbox: ({ environment }) => environment === 'testing',
  emv3ds: ({ emv3dsUrl }) => emv3dsUrl !== undefined,
};

/** Whether this installation can use the provider. */
export function isProviderOf(installation: Installation, code: string): code is ThreeDsProviderCode {
  return Object.hasOwn(offered, code) && offered[code as ThreeDsProviderCode](installation);
}
