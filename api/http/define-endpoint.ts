/**
 * An endpoint is one object: the route, its validation, its part of the OpenAPI document and its row of the authorization matrix are
 * all derived from it (ARCHITECTURE.md). It imports no running component: everything it needs is passed in as `deps`.
 */
import type { ObjectSchema, Schema } from 'joi';
import type { ErrorCode } from '../../shared/contract/error-catalogue.js';
import type { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { Log } from '../../shared/log.js';
import type { HandlerDeps } from '../deps.js';
import type { AddressLimit } from '../limits/rate-limits.js';

export type Method = 'get' | 'post' | 'put' | 'delete';

/** Where a request names its merchant. `authorizeMerchant` checks that merchant before the handler runs. */
export interface MerchantField {
  readonly in: 'params' | 'query' | 'body';
  readonly field: string;
}

/**
 * How a request relates to merchants:
 * - `none`: not at all (health, the OpenAPI document);
 * - `client`: client-wide objects;
 * - `client-resource`: the handler loads a client-wide object by id and hides it (404) from other clients;
 * - `resource`: the handler loads an object by id and hides it (404) from callers that may not see it;
 * - a field: the request names the merchant there; 400 merchant-not-found and 403 forbidden are answered before the handler runs.
 */
export type MerchantScope = 'none' | 'client' | 'client-resource' | 'resource' | MerchantField;

/** What a handler derives the id of a new object from, when the caller may send the request again. */
export interface Idempotency {
  /** The id of the new object is derived from this (`idFrom`). */
  readonly seed: string;
  /** An earlier call with the same key did not finish: the handler looks for the object before it creates one. */
  readonly resumed: boolean;
}

/** What a handler gets. `params`, `query` and `body` are validated and converted. */
export interface Context<P = unknown, Q = unknown, B = unknown> {
  /** The authenticated caller. Only endpoints with `auth: 'basic'` have one; elsewhere reading it is a bug and throws. */
  readonly principal: Principal;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly traceId: string;
  /** Set when the endpoint is `idempotent` and the caller sent an `Idempotency-Key`. */
  readonly idempotency?: Idempotency | undefined;
  readonly log: Log;
  header(name: string): string | undefined;
  /** Calls back once: with true when the whole answer was handed to the network, with false when the caller disconnected before that. */
  onFlushed(callback: (flushed: boolean) => void): void;
}

/**
 * What a flow knows about its caller, and its hook for the end of the answer. When a payer acts on a page, the principal is the key
 * that created the session.
 */
export type Caller = Pick<Context, 'principal' | 'traceId' | 'idempotency' | 'log' | 'onFlushed'>;

/** What a change of a configuration needs to know about its caller: its audit entry is built from this. */
export type Changer = Pick<Caller, 'principal' | 'traceId' | 'idempotency' | 'log'>;

/** What a flow needs to know about its caller when it creates an object of the client under an id that the flow chooses. */
export type Asker = Pick<Caller, 'principal' | 'traceId' | 'idempotency'>;

/** An answer that is more than a JSON body with the endpoint's usual status. */
export class Answer {
  constructor(
    readonly body: unknown,
    readonly status?: number,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** Builds the answer of a handler that uses another status or sends headers. Text or bytes need a `Content-Type` among the headers. */
export function answer(body: unknown, more: { status?: number; headers?: Record<string, string> } = {}): Answer {
  return new Answer(body, more.status, more.headers);
}

/** Worked examples of one endpoint: shown in the OpenAPI document, and checked by a test against Joi and the published schema. */
export interface Examples {
  /** Bodies by name. */
  readonly request?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Bodies by status, then by name. */
  readonly response?: Readonly<Record<number, Readonly<Record<string, unknown>>>>;
}

/** A file that arrives as one part of `multipart/form-data`. It is read after the merchant is authorized. */
export interface Upload {
  /** Name of the part. */
  readonly part: string;
  readonly bytesMax: number;
  /** Only for the OpenAPI document: the handler determines the real type from the bytes. */
  readonly contentTypes: readonly string[];
}

/** Body that the handler of an endpoint with an {@link Upload} gets. */
export interface UploadedFile {
  readonly bytes: Uint8Array;
}

interface Description {
  readonly method: Method;
  /** Express form: `/v1/payments/:paymentId`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** `basic`: an API key by HTTP Basic, or a bearer token that was issued for such a key. */
  readonly auth: 'basic' | 'none';
  /** Accepts only the key itself, no bearer token. */
  readonly keyOnly?: boolean;
  /**
   * How often one address may call this endpoint, with any credentials. The limits of a client follow from method and tags
   * (rate-group.ts).
   */
  readonly addressLimit?: AddressLimit;
  /** Encoding of the body; JSON by default. */
  readonly bodyFormat?: 'json' | 'form';
  readonly merchantScope: MerchantScope;
  /** Accepts an `Idempotency-Key`, as every POST that creates or changes something does. */
  readonly idempotent?: boolean;
  /**
   * The flow writes its own change to the audit (record-change.ts); otherwise the call is written (record-audit.ts). Refusals are
   * always written.
   */
  readonly flowWritesAudit?: boolean;
  /** The answer contains a secret that must not be stored: a repeated request finds the existing object and builds the answer again. */
  readonly answerNotStored?: boolean;
  /** Headers of the success answer, by name, in the form of OpenAPI. */
  readonly responseHeaders?: Readonly<Record<string, object>>;
  /** Content types of a success answer that is not JSON. */
  readonly produces?: readonly string[];
  /** Schemas of bodies by status. The lowest status is the usual one unless `statusOnSuccess` names another. */
  readonly responses: Readonly<Record<number, Schema>>;
  readonly statusOnSuccess?: number;
  /** Error codes beyond those that follow from `auth`, the schemas and the scope (see to-openapi). */
  readonly errors: readonly ErrorCode[];
  readonly examples?: Examples;
  /** Builds the error body when another standard prescribes its shape; undefined: the envelope. Its statuses are in `responses`. */
  presentError?(error: GatewayError): unknown;
  /** Logged at `debug` unless the request fails (probes). */
  readonly quiet?: boolean;
}

/** Type of a schema. One without a type is `any` to Joi and `unknown` here: a handler cannot read what nothing describes. */
type TypeOf<T> = 0 extends 1 & T ? unknown : NoInfer<T>;
type Checked<P, Q, B> = Context<TypeOf<P>, TypeOf<Q>, TypeOf<B>>;

interface Definition<P, Q, B> extends Description {
  readonly request?: {
    readonly params?: ObjectSchema<P>;
    readonly query?: ObjectSchema<Q>;
    readonly body?: Schema<B>;
    /** Instead of `body`. */
    readonly upload?: Upload;
  };
  /**
   * Throws like {@link handle} for an object that the caller may not see. An answer kept under an `Idempotency-Key` is returned only
   * after this check (docs/security.md#kept-answers), so an idempotent endpoint whose path names the object must have it.
   */
  authorizeResource?(context: Checked<P, Q, B>, deps: HandlerDeps): Promise<unknown>;
  /** Returns the body, or {@link answer}. Throws `GatewayError` for what the caller must know; anything else is a 500. */
  handle(context: Checked<P, Q, B>, deps: HandlerDeps): Promise<unknown> | unknown;
}

/** An endpoint of any shape, as lists of endpoints hold it. */
export interface Endpoint extends Description {
  readonly request?: {
    readonly params?: ObjectSchema;
    readonly query?: ObjectSchema;
    readonly body?: Schema;
    readonly upload?: Upload;
  };
  authorizeResource?(context: Context, deps: HandlerDeps): Promise<unknown>;
  handle(context: Context, deps: HandlerDeps): Promise<unknown> | unknown;
}

/** Derives the types of the handler from its schemas. Only this call knows the types: the list holds endpoints of all shapes. */
export function defineEndpoint<P = unknown, Q = unknown, B = unknown>(definition: Definition<P, Q, B>): Endpoint {
  return definition as unknown as Endpoint;
}

/** Returns the status of an answer whose handler does not name one. */
export function successStatus(endpoint: Endpoint): number {
  return endpoint.statusOnSuccess ?? Math.min(...Object.keys(endpoint.responses).map(Number));
}
