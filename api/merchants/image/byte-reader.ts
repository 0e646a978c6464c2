/** Reads numbers and names from bytes. The caller must check lengths first: bytes past the end are not detected. */
export const uint16 = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
export const uint32 = (bytes: Uint8Array, at: number): number => uint16(bytes, at) * 0x10000 + uint16(bytes, at + 2);
export const uint16Le = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
export const uint24Le = (bytes: Uint8Array, at: number): number => uint16Le(bytes, at) | ((bytes[at + 2] ?? 0) << 16);
export const uint32Le = (bytes: Uint8Array, at: number): number => uint24Le(bytes, at) + (bytes[at + 3] ?? 0) * 2 ** 24;

/** Reads `length` bytes as Latin-1 text. */
export function name(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

export function startsWith(bytes: Uint8Array, start: readonly number[], at = 0): boolean {
  return bytes.length >= at + start.length && start.every((byte, index) => bytes[at + index] === byte);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
