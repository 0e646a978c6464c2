/** The providers that have an adapter, apart from the adapters: the API may know these, but never imports an adapter. */
export const threeDsProviderCodes = ['sandbox'] as const;
export type ThreeDsProviderCode = (typeof threeDsProviderCodes)[number];

/** Stand-ins for a provider: an installation in production has none of them. */
const testOnly: ReadonlySet<string> = new Set<ThreeDsProviderCode>(['sandbox']);

/** Whether this installation can speak to the provider. */
export function isProviderOf(environment: 'testing' | 'production', code: string): code is ThreeDsProviderCode {
  return (
    (threeDsProviderCodes as readonly string[]).includes(code) && (environment === 'testing' || !testOnly.has(code))
  );
}
