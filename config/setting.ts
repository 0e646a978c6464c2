/** How a setting is read from its environment variable. */
type SettingKind =
  | 'string'
  | 'integer'
  | 'boolean'
  | 'url'
  | 'https'
  | 'name'
  | 'mongodb'
  | 'redis'
  | 'key'
  | 'keys'
  | 'enum'
  | 'proxies'
  | 'origins';

/** One setting. `default: undefined` together with `required: true` means that the process refuses to start without it. */
export interface Setting {
  readonly env: string;
  readonly kind: SettingKind;
  readonly default?: string;
  readonly required?: boolean;
  /** A secret is never printed, not even in an error about it. */
  readonly secret?: boolean;
  /** Inclusive bounds of an integer setting. */
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  readonly about: string;
}
