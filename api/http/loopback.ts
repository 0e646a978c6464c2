/** Names and addresses that mean this machine only. */

/** @param name of a host, as in a URL or a setting: IPv6 with or without brackets */
export const isLoopbackName = (name: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(name);

/** @param address of a socket, where IPv4 may be mapped into IPv6 */
export const isLoopbackAddress = (address: string | undefined): boolean =>
  address !== undefined && isLoopbackName(address.replace(/^::ffff:/i, ''));
