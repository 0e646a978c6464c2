/** Bounds of the fields in requests, and of what an answer says about them: part of `limits.ts`. */
export const fieldLimits = {
  /** Ids and codes in a path or a query: a longer one cannot exist. */
  pathIdLengthMax: 200,
  cursorLengthMax: 500,
  /** Ids in a body. */
  idLengthMax: 80,
  nameLengthMax: 200,
  lineLengthMax: 200,
  shortTextLengthMax: 100,
  emailLengthMax: 254,
  phoneLengthMax: 32,
  userAgentLengthMax: 1_024,
  /** Cryptogram of a network token, base64. */
  cryptogramLengthMax: 64,
  openCodeLengthMax: 64,
  /** For metadata that may hold JSON: bytes in all, and levels below a value. */
  jsonMetadataBytesMax: 4_096,
  jsonMetadataDepthMax: 8,
  /** Merchants by which a list of 3DS sessions is filtered. */
  sessionMerchantsMax: 50,

  // What an answer says about a request
  /** Fields that an answer names at most: the answer stays small whatever was sent. */
  fieldsNamedMax: 50,
  fieldNameLengthMax: 64,
  /** Path of the place in a body that holds JSON which is not accepted. */
  jsonPlaceLengthMax: 128,
  /** Name that a payer typed, to show it again on a page. */
  keptNameLengthMax: 80,
} as const;
