/** A decoded message, not interpreted yet. Binary fields are uppercase hexadecimal digits. */
export interface IsoMessage {
  /** Message type, four digits. */
  readonly mti: string;
  /** By number, 2 to 128. */
  readonly fields: Readonly<Record<number, string>>;
}

export const FIELD_MAX = 128;
