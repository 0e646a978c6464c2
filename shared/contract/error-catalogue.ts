/**
 * Every error code an answer can carry (docs/api.md#errors; docs/decisions.md, "Errors"). Status, type and documentation
 * derive from this table; to throw an error, its code is enough (`GatewayError`).
 */
export const errorTypes = ['api-error', 'invalid-request-error', 'card-error', 'processor-error'] as const;
export type ErrorType = (typeof errorTypes)[number];

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
  forbidden: { status: 403, type: 'api-error', message: 'These credentials cannot access this merchant.' },
  'payment-not-found': { status: 404, type: 'api-error', message: 'Payment not found.' },
  'code-not-found': { status: 404, type: 'api-error', message: 'Code not found.' },
  'payment-link-not-found': { status: 404, type: 'api-error', message: 'Payment link not found.' },
  'customer-not-found': { status: 404, type: 'api-error', message: 'Customer not found.' },
  'payment-instrument-not-found': {
    status: 404,
    type: 'api-error',
    message: 'Payment instrument not found.',
  },
  'payment-method-not-found': {
    status: 404,
    type: 'api-error',
    message: 'Payment method not configured for the merchant.',
  },
  'threeds-settings-not-found': {
    status: 404,
    type: 'api-error',
    message: 'No 3DS settings found for this payment method.',
  },
  'not-found': {
    status: 404,
    type: 'api-error',
    message: 'Path not found. Check its spelling; the API is under /v1.',
  },
  'method-not-allowed': {
    status: 405,
    type: 'api-error',
    message: 'Method not allowed. The Allow header lists the allowed methods.',
  },
  conflict: { status: 409, type: 'api-error', message: 'The state of the payment does not allow this operation.' },
  'malformed-request': {
    status: 400,
    type: 'api-error',
    message: 'The request is not valid HTTP and the connection is closed. Check your HTTP client and any proxy.',
  },
  'request-timeout': {
    status: 408,
    type: 'api-error',
    message: 'The request did not arrive in time and nothing was stored. Send it again on a new connection.',
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
    message: 'Only the expectation 100-continue is supported. Remove the Expect header.',
  },
  'headers-too-large': {
    status: 431,
    type: 'api-error',
    message: 'The headers are larger than 16 kB in total. Send fewer or shorter headers.',
  },
  'too-many-requests': {
    status: 429,
    type: 'api-error',
    message: 'Too many requests. Retry after the interval in Retry-After.',
  },
  'internal-error': {
    status: 500,
    type: 'api-error',
    message: 'Internal error. Quote the traceId to the operator.',
  },
  'service-unavailable': {
    status: 503,
    type: 'api-error',
    message: 'The gateway is not available at the moment. Nothing was stored; retry after the interval in Retry-After.',
  },
  timeout: {
    status: 503,
    type: 'api-error',
    message: 'The database did not answer in time. Send the same request again: 409 means it was stored.',
  },

  'request-validation-errors': {
    status: 400,
    type: 'invalid-request-error',
    message: 'Some fields are not valid; see params.',
  },
  'merchant-not-found': { status: 400, type: 'invalid-request-error', message: 'Merchant not found.' },
  'currency-not-found': {
    status: 400,
    type: 'invalid-request-error',
    message: 'Currency unknown or not supported here. Use an ISO 4217 alphabetic code, for example USD.',
  },
  'payment-invalid-amount': { status: 400, type: 'invalid-request-error', message: 'The amount is not valid.' },
  'payment-invalid-invoice-number': {
    status: 400,
    type: 'invalid-request-error',
    message: 'invoiceNumber must be text of at most 64 characters, without control characters.',
  },
  'duplicated-reference-id': {
    status: 409,
    type: 'invalid-request-error',
    message: 'This referenceId is already used; see params.',
  },
  'invalid-browser-details': { status: 400, type: 'invalid-request-error', message: 'browserDetails is not valid.' },

  'invalid-card-number': { status: 400, type: 'card-error', message: 'The card number is not valid.' },
  'invalid-card-cvc': { status: 400, type: 'card-error', message: 'The cvc must have 3 digits (American Express: 4).' },
  'invalid-card-expiration-date': {
    status: 400,
    type: 'card-error',
    message: 'The expiration date is not valid, is in the past, or is more than 20 years ahead.',
  },
  'invalid-cardholder': {
    status: 400,
    type: 'card-error',
    message: 'The cardholder is not valid; see params.',
  },
  'invalid-card-payment-method': {
    status: 400,
    type: 'card-error',
    message: 'Card brand not supported by the merchant, or paymentMethod.id is a different brand.',
  },
  'invalid-card-payment-method-token': {
    status: 400,
    type: 'card-error',
    message: 'The token is unknown, expired, deleted, already used, or belongs to another merchant.',
  },

  'wallet-a-pay-pan-only-cvc-required': {
    status: 422,
    type: 'card-error',
    message: 'The wallet returned a PAN-only credential and 3DS does not apply: send the cvc.',
  },
  INVALID_WALLET_B_PAY_TOKEN: {
    status: 400,
    type: 'card-error',
    message: 'The wallet-b token is malformed, too old, for a different amount, or of an unsupported type.',
  },
  WALLET_B_PAY_SIGNATURE_INVALID: {
    status: 400,
    type: 'card-error',
    message: 'The wallet-b token could not be verified.',
  },
  WALLET_B_PAY_NOT_ENABLED: {
    status: 400,
    type: 'card-error',
    message: 'wallet-b is not enabled for the API of this merchant.',
  },
  WALLET_B_PAY_CERTIFICATE_NOT_FOUND: {
    status: 400,
    type: 'card-error',
    message: 'The merchant has no certificate for this wallet-b token. Upload it.',
  },
  WALLET_B_PAY_CERTIFICATE_EXPIRED: {
    status: 400,
    type: 'card-error',
    message: 'The wallet-b certificate of the merchant has expired. Upload a new certificate.',
  },
  WALLET_B_PAY_TOKEN_REPLAY: {
    status: 409,
    type: 'card-error',
    message: 'This wallet-b token is already used. Request a new token from the wallet.',
  },
  MISSING_CARDHOLDER_INFO: {
    status: 400,
    type: 'invalid-request-error',
    message: 'wallet-b requires the cardholder; see params.',
  },

  'declined-by-acquirer': { status: 422, type: 'processor-error', message: 'The acquirer declined the operation.' },
  'authentication-required': {
    status: 422,
    type: 'processor-error',
    message: 'The issuer requires authentication of the cardholder.',
  },
  'authentication-failed': {
    status: 422,
    type: 'processor-error',
    message: 'The cardholder was not authenticated and nothing was charged.',
  },
  'acquirer-offline': {
    status: 422,
    type: 'processor-error',
    message: 'The acquirer cannot be reached and nothing was charged. Retry later with a new referenceId.',
  },
  'funds-verification-failed': { status: 422, type: 'processor-error', message: 'The card could not be verified.' },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;
