/** Bounds of the `iso8583` processor. */
export const iso8583Limits = {
  /** A message without its length header; real ones have some hundred bytes. */
  messageBytesMax: 8 * 1024,
  /** Profile file. */
  profileBytesMax: 256 * 1024,
} as const;
