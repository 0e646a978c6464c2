/** Bounds of the fields that are sent, and of what is said about them: part of `limits.ts`. */
export const fieldLimits = {
  /** Ids and codes in a path or a query: longer ones belong to nothing. */
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
  /** Base64, of a network token. */
  cryptogramLengthMax: 64,
  openCodeLengthMax: 64,
  /** Where metadata may hold JSON: bytes of the whole, and levels below a value. */
  jsonMetadataBytesMax: 4_096,
  jsonMetadataDepthMax: 8,
  /** Merchants that a list of 3DS sessions is filtered by. */
  sessionMerchantsMax: 50,

  // What an answer says of a request
  /** More fields than this are not named: the answer stays small whatever was sent. */
  fieldsNamedMax: 50,
  fieldNameLengthMax: 64,
  /** Path of the place in a body that is not JSON as it may be. */
  jsonPlaceLengthMax: 128,
  /** Name that a payer typed and that a page shows again. */
  keptNameLengthMax: 80,
} as const;
