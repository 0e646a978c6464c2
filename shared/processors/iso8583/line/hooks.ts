/** What an acquirer's security needs and this adapter has none of: given by code of the installation's own. */
import type { IsoMessage } from '../codec/message.js';

export interface IsoHooks {
  /** Message authentication: the last field of each message, as hexadecimal digits. */
  readonly mac?: {
    /** @param bytes the message without the code */
    make(bytes: Buffer): string;
    isValid(bytes: Buffer, mac: string): boolean;
  };
  /** A key exchange after each sign-on. */
  readonly keyExchange?: {
    /** Fields of the request beside those of the profile. */
    fields(): Readonly<Record<number, string>>;
    /** @throws when the keys cannot be used: the connection is then closed. */
    take(answer: IsoMessage): void;
  };
}
