import type { TrustedProxies } from './proxies.js';
import type { ProcessName, ReadBy } from './readers.js';
import type { SettingName, settings } from './schema.js';
import type { Setting } from './setting.js';

type Parsed<S extends Setting> = S['kind'] extends 'integer'
  ? number
  : S['kind'] extends 'boolean'
    ? boolean
    : S['kind'] extends 'key'
      ? Buffer
      : S['kind'] extends 'keys'
        ? readonly MasterKey[]
        : S['kind'] extends 'proxies'
          ? TrustedProxies
          : S['kind'] extends 'origins'
            ? readonly string[]
            : S extends { values: readonly (infer V)[] }
              ? V
              : string;

/** A master key of the vault: 32 bytes, and the id that envelopes store. */
export interface MasterKey {
  readonly id: string;
  readonly key: Buffer;
}

type IsOptional<S> = S extends { default: string } | { required: true } ? false : true;

/** All settings, parsed. A setting without default that is not required is `undefined` when it is not set. */
export type Config = Readonly<{
  [N in SettingName]:
    | Parsed<(typeof settings)[N]>
    | (IsOptional<(typeof settings)[N]> extends true ? undefined : never);
}>;

/** The settings that these processes read (`readers.ts`). */
export type ConfigOf<P extends ProcessName> = Pick<Config, ReadBy<P>>;
/** The settings that the API reads. */
export type WebConfig = ConfigOf<'web'>;
