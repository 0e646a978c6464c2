/** Bounds of 3D Secure. */
export const threeDsLimits = {
  /** Checks of one address. */
  threeDsChecksMax: 20,
  threeDsChecksSeconds: 10,
  /** How long the issuer may inspect the payer's browser before the authentication is requested (EMV 3DS: 10 seconds). */
  threeDsMethodMs: 10_000,
  /** How long the payer has to answer the issuer. */
  challengeMs: 10 * 60_000,
  /** A payer who closes the window does not come back: interval at which the provider is asked while the challenge is open. */
  challengeAskMs: 30_000,
  challengeAskMsMin: 1_000,
  /** A provider that does not answer is asked again after this, while there is time. */
  threeDsAgainMs: 2_000,
  /** Tries of an authentication request before it counts as impossible. */
  threeDsTriesMax: 3,
  /** Tries of fetching the result after the issuer told the payer's browser that the challenge is over; then as of a payer who left. */
  threeDsLateTriesMax: 2,
  threeDsTimeoutMs: 10_000,
  /** A 3D Secure server answers from its cached card ranges without delay. */
  emv3dsLookupMs: 5_000,
  /** The server itself waits up to 10 seconds for a directory and then reports that: the gateway waits for this report. */
  emv3dsAnswerMs: 12_000,
  emv3dsResponseBytesMax: 64 * 1024,
  /** Browser fields of EMV 3DS: characters, pixels, minutes, bits per pixel. */
  browserAcceptLengthMax: 2_048,
  browserLanguageLengthMax: 8,
  browserScreenMax: 999_999,
  browserOffsetMinutesMax: 840,
  browserColorDepths: [1, 4, 8, 15, 16, 24, 32, 48],
  browserColorDepthMax: 48,
  /** Visits of one address to the pages of challenges. */
  challengeVisitsMax: 120,
  challengeVisitsSeconds: 60,
  /** A CRes with ten extensions of 8059 characters, in base64, and the data that was sent along with the CReq. */
  challengeFormBytesMax: 128 * 1024,
} as const;
