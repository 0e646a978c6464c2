/** Data that a developer needs to pay at the sandbox. */
export interface SandboxFile {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly apiKey: string;
  /** All merchants of the first client. */
  readonly merchants: readonly { readonly id: number; readonly name: string }[];
  /** Another key of the same client, granted only these merchants. */
  readonly secondary: { readonly clientId: string; readonly apiKey: string; readonly merchants: readonly number[] };
  /** A client that must see nothing of the first client. */
  readonly other: {
    readonly clientId: string;
    readonly apiKey: string;
    readonly merchants: readonly { readonly id: number }[];
  };
  readonly operator: { readonly baseUrl: string; readonly user: string; readonly password: string };
  readonly processor: { readonly ledgerUrl: string };
}

export interface SandboxKeys {
  readonly primary: string;
  readonly secondary: string;
  readonly other: string;
}

/** Returns the keys of an earlier file, or `undefined` when the text is not such a file: it may be truncated or edited by hand. */
export function readSandboxKeys(text: string): SandboxKeys | undefined {
  try {
    const file = JSON.parse(text) as Partial<SandboxFile> | null;
    const keys = [file?.apiKey, file?.secondary?.apiKey, file?.other?.apiKey];
    const [primary, secondary, other] = keys.filter((key) => typeof key === 'string');
    return primary && secondary && other ? { primary, secondary, other } : undefined;
  } catch {
    return undefined;
  }
}
