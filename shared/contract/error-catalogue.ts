/**
 * Every error code an answer can carry (docs/api.md#errors; docs/decisions.md, "Errors"). Status, type and documentation
 * derive from this table; an error is thrown by code alone (`GatewayError`).
 */
export type ErrorType = 'api-error' | 'invalid-request-error' | 'card-error' | 'processor-error';

interface ErrorEntry {
  readonly status: number;
  readonly type: ErrorType;
  /** What the caller reads: what was wrong and what to do. */
  readonly message: string;
}

export const errorCatalogue = {
  unauthorized: {
    status: 401,
    type: 'api-error',
    message:
      'Authentication failed. Send HTTP Basic with your client id and an active API key of this environment, or a bearer token.',
  },
  forbidden: { status: 403, type: 'api-error', message: 'These credentials cannot use this merchant.' },
  'payment-not-found': { status: 404, type: 'api-error', message: 'There is no payment with this id.' },
  'code-not-found': { status: 404, type: 'api-error', message: 'Code not found.' },
  'payment-link-not-found': { status: 404, type: 'api-error', message: 'There is no payment link with this id.' },
  'customer-not-found': { status: 404, type: 'api-error', message: 'There is no customer with this id.' },
  'payment-instrument-not-found': {
    status: 404,
    type: 'api-error',
    message: 'The customer has no payment instrument with this token.',
  },
  'payment-method-not-found': {
    status: 404,
    type: 'api-error',
    message: 'The merchant has no payment method configured under this code.',
  },
  'threeds-settings-not-found': {
    status: 404,
    type: 'api-error',
    message: 'No 3DS settings are configured for this payment method of the merchant.',
  },
  'not-found': {
    status: 404,
    type: 'api-error',
    message: 'There is nothing at this path. Check its spelling; the API is under /v1.',
  },
  'method-not-allowed': {
    status: 405,
    type: 'api-error',
    message: 'This path does not answer this method; the header Allow names those it does.',
  },
  conflict: { status: 409, type: 'api-error', message: 'The state of the payment does not allow this.' },
  'malformed-request': {
    status: 400,
    type: 'api-error',
    message: 'The request is not valid HTTP; the connection is closed. Check what builds it, and proxies in between.',
  },
  'request-timeout': {
    status: 408,
    type: 'api-error',
    message: 'The request did not arrive completely in time; nothing was stored. Send it again on a new connection.',
  },
  'payload-too-large': { status: 413, type: 'api-error', message: 'The request body is larger than 64 kB.' },
  'unsupported-media-type': {
    status: 415,
    type: 'api-error',
    message: 'Send the body as uncompressed JSON in UTF-8 with Content-Type: application/json.',
  },
  'expectation-failed': {
    status: 417,
    type: 'api-error',
    message: 'The only expectation that is met is 100-continue. Leave the header Expect out.',
  },
  'headers-too-large': {
    status: 431,
    type: 'api-error',
    message: 'The headers are larger than 16 kB together. Send fewer or shorter ones.',
  },
  'too-many-requests': {
    status: 429,
    type: 'api-error',
    message: 'Too many requests. Retry after the interval in Retry-After.',
  },
  'internal-error': {
    status: 500,
    type: 'api-error',
    message: 'Something failed on our side. Quote the traceId to the operator.',
  },
  'service-unavailable': {
    status: 503,
    type: 'api-error',
    message:
      'The gateway takes no more requests at the moment. Nothing was stored; retry after the interval in Retry-After.',
  },
  timeout: {
    status: 503,
    type: 'api-error',
    message: 'The database did not answer in time. Send the same referenceId again: 409 says that it was stored.',
  },

  'request-validation-errors': {
    status: 400,
    type: 'invalid-request-error',
    message: 'Some fields are not valid; params names each.',
  },
  'merchant-not-found': { status: 400, type: 'invalid-request-error', message: 'There is no merchant with this id.' },
  'currency-not-found': {
    status: 400,
    type: 'invalid-request-error',
    message: 'The currency is not known or cannot be used here. Use an ISO 4217 alphabetic code, for example USD.',
  },
  'payment-invalid-amount': { status: 400, type: 'invalid-request-error', message: 'The amount is not valid.' },
  'payment-invalid-invoice-number': {
    status: 400,
    type: 'invalid-request-error',
    message: 'invoiceNumber must have at most 64 characters and no control characters.',
  },
  'duplicated-reference-id': {
    status: 409,
    type: 'invalid-request-error',
    message: 'This referenceId was used before; params names what it belongs to.',
  },
  'invalid-browser-details': { status: 400, type: 'invalid-request-error', message: 'browserDetails is not valid.' },

  'invalid-card-number': { status: 400, type: 'card-error', message: 'The card number is not valid.' },
  'invalid-card-cvc': { status: 400, type: 'card-error', message: 'The cvc must have 3 digits (American Express: 4).' },
  'invalid-card-expiration-date': {
    status: 400,
    type: 'card-error',
    message: 'The expiration date is not valid, lies in the past or more than 20 years ahead.',
  },
  'invalid-cardholder': {
    status: 400,
    type: 'card-error',
    message: 'The cardholder is not valid; params names the field.',
  },
  'invalid-card-payment-method': {
    status: 400,
    type: 'card-error',
    message: 'The merchant does not take this card brand, or paymentMethod.id is another brand.',
  },
  'invalid-card-payment-method-token': {
    status: 400,
    type: 'card-error',
    message:
      'The token cannot be used: it is not one of yours, has expired, or was used, deleted or made for another merchant.',
  },

  'wallet-a-pay-pan-only-cvc-required': {
    status: 422,
    type: 'card-error',
    message: 'The wallet gave a bare card number and 3DS does not apply: send the cvc with it.',
  },
  INVALID_WALLET_B_PAY_TOKEN: {
    status: 400,
    type: 'card-error',
    message: 'The wallet-b token is malformed, too old, for another amount, or of a type that is not supported.',
  },
  WALLET_B_PAY_SIGNATURE_INVALID: {
    status: 400,
    type: 'card-error',
    message: 'The wallet-b token cannot be verified.',
  },
  WALLET_B_PAY_NOT_ENABLED: {
    status: 400,
    type: 'card-error',
    message: 'The merchant has not enabled wallet-b for the API.',
  },
  WALLET_B_PAY_CERTIFICATE_NOT_FOUND: {
    status: 400,
    type: 'card-error',
    message: 'The merchant has no wallet-b certificate that the token was made for. Upload it.',
  },
  WALLET_B_PAY_CERTIFICATE_EXPIRED: {
    status: 400,
    type: 'card-error',
    message: 'The wallet-b certificate of the merchant has expired. Upload a new one.',
  },
  WALLET_B_PAY_TOKEN_REPLAY: {
    status: 409,
    type: 'card-error',
    message: 'This wallet-b token was used before. Ask the payer again.',
  },
  MISSING_CARDHOLDER_INFO: {
    status: 400,
    type: 'invalid-request-error',
    message: 'wallet-b needs the cardholder; params names what is missing.',
  },

  'declined-by-acquirer': { status: 422, type: 'processor-error', message: 'The acquirer declined the operation.' },
  'authentication-required': {
    status: 422,
    type: 'processor-error',
    message: 'The issuer asks for authentication of the cardholder.',
  },
  'authentication-failed': {
    status: 422,
    type: 'processor-error',
    message: 'The cardholder was not authenticated; nothing was charged.',
  },
  'acquirer-offline': {
    status: 422,
    type: 'processor-error',
    message: 'The acquirer cannot be reached; nothing was charged. Try again later with a new referenceId.',
  },
  'funds-verification-failed': { status: 422, type: 'processor-error', message: 'The card could not be verified.' },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;
