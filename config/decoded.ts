/** Percent-encoded parts of addresses. */

/** What is wrong with an address whose user or password cannot be decoded, as the rest of a sentence. */
export const ENCODE =
  'has a user or password that cannot be read: percent-encode special characters, %40 for @ and %2F for /';

/** Decodes percent-encoded text; undefined when it cannot be read. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether the user and password of an address can be decoded. The programs that use them end or fail on others. */
export const hasReadableUser = ({ username, password }: URL): boolean =>
  decoded(username) !== undefined && decoded(password) !== undefined;
