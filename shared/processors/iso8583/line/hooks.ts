/** Security functions that an acquirer may require and this adapter does not have: the installation's own code supplies them. */
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
    /** Fields of the request in addition to those of the profile. */
    fields(): Readonly<Record<number, string>>;
    /** @throws when the keys cannot be used: the connection is then closed. */
    take(answer: IsoMessage): void;
  };
}
