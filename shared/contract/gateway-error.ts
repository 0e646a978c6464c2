import { type ErrorCode, type ErrorType, errorCatalogue } from './error-catalogue.js';

/** Field path to the problems of the field. Never the values that were sent. */
export type ErrorParams = Readonly<Record<string, readonly string[]>>;

interface Extras {
  /** For the operator's log only; never part of an answer. */
  readonly internal?: string;
  readonly params?: ErrorParams;
  /** Replaces the catalogue's text when the situation allows a better text. */
  readonly message?: string;
  readonly declineCode?: string;
  /** Seconds, becomes the Retry-After header. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** An error that the caller caused or must know about. Anything else that is thrown is a bug (500). */
export class GatewayError extends Error {
  readonly status: number;
  readonly type: ErrorType;
  readonly publicMessage: string;
  readonly params: ErrorParams | undefined;
  readonly declineCode: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    extras: Extras = {},
  ) {
    super(extras.internal ?? code, { cause: extras.cause });
    this.name = 'GatewayError';
    this.status = errorCatalogue[code].status;
    this.type = errorCatalogue[code].type;
    this.publicMessage = extras.message ?? errorCatalogue[code].message;
    this.params = extras.params;
    this.declineCode = extras.declineCode;
    this.retryAfterSeconds = extras.retryAfterSeconds;
  }
}

/** Builds the refusal of a request because of one field. @param reason continues a sentence that begins with the field: `is required` */
export const invalidField = (field: string, reason: string): GatewayError =>
  new GatewayError('request-validation-errors', { params: { [field]: [reason] } });

/** Builds the refusal of a request that the state of an object does not allow. @param message a sentence about that state */
export const conflict = (message: string): GatewayError => new GatewayError('conflict', { message });

/** Whether a status (HTTP) says that the fault is the gateway's or of what it depends on, not the caller's. */
export const isServerError = (status: number): boolean => status >= 500;

/** The error envelope (docs/api.md#errors). */
export interface ErrorEnvelope {
  readonly code: ErrorCode;
  readonly message: string;
  readonly type: ErrorType;
  readonly status: number;
  readonly traceId: string;
  readonly params?: ErrorParams;
  readonly declineCode?: string;
}

/** Builds the response body for an error. */
export function toEnvelope(error: GatewayError, traceId: string): ErrorEnvelope {
  return {
    code: error.code,
    message: error.publicMessage,
    type: error.type,
    status: error.status,
    traceId,
    ...(error.params && { params: error.params }),
    ...(error.declineCode && { declineCode: error.declineCode }),
  };
}
