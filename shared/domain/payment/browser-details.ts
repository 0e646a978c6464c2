/** What is known about the payer's browser: for the issuer (3D Secure) and for the processor. */
import { count, flag, oneOf, optional, record, type Stored, text, whole } from '../described.js';

export const challengeWindowSizes = ['01', '02', '03', '04', '05'] as const;

export const browserDetails = record({
  ipAddress: optional(text),
  userAgent: optional(text),
  deviceFingerprint: optional(text),
  device: optional(text),
  operativeSystem: optional(text),
  // What EMV 3DS requires of a browser (docs/threeds-server.md#browser).
  acceptHeader: optional(text),
  /** BCP 47. */
  language: optional(text),
  javaEnabled: optional(flag),
  javascriptEnabled: optional(flag),
  /** Bits per pixel. */
  colorDepth: optional(count),
  screenHeight: optional(count),
  screenWidth: optional(count),
  /** Minutes from local time to UTC: positive west of it. */
  timeZoneOffset: optional(whole),
  /** EMV's code for the size of the window that shows a challenge; 05 is full screen. */
  challengeWindowSize: optional(oneOf(...challengeWindowSizes)),
});
export interface BrowserDetails extends Stored<typeof browserDetails> {}
