/** The providers that have an adapter, apart from the adapters: the API may know these, but never imports an adapter. */
export const threeDsProviderCodes = ['sandbox', 'emv3ds'] as const;
export type ThreeDsProviderCode = (typeof threeDsProviderCodes)[number];

/** What decides which providers an installation has. */
export interface Installation {
  readonly environment: 'testing' | 'production';
  readonly sandboxProcessorUrl?: string | undefined;
  readonly emv3dsUrl?: string | undefined;
}

/** A test provider is offered in testing, wherever it is; a real one where its server is configured. */
const offered: Readonly<Record<ThreeDsProviderCode, (installation: Installation) => boolean>> = {
  sandbox: ({ environment }) => environment === 'testing',
  emv3ds: ({ emv3dsUrl }) => emv3dsUrl !== undefined,
};

/** Whether this installation can speak to the provider. */
export function isProviderOf(installation: Installation, code: string): code is ThreeDsProviderCode {
  return Object.hasOwn(offered, code) && offered[code as ThreeDsProviderCode](installation);
}
