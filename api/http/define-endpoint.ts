/**
 * An endpoint is one object: the route, its validation, its part of the OpenAPI document and its row of the authorization
 * matrix are all derived from it (ARCHITECTURE.md). It imports no running thing: what it needs arrives as `deps`.
 */
import type { ObjectSchema, Schema } from 'joi';
import type { ErrorCode } from '../../shared/contract/error-catalogue.js';
import type { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { Log } from '../../shared/log.js';
import type { HandlerDeps } from '../deps.js';
import type { AddressLimit } from '../limits/rate-limits.js';

export type Method = 'get' | 'post' | 'put' | 'delete';

/** The place of the merchant in a request: `authorizeMerchant` is asked about it before the handler runs. */
export interface MerchantField {
  readonly in: 'params' | 'query' | 'body';
  readonly field: string;
}

/**
 * How a request relates to merchants:
 * - `none`: not at all (health, the OpenAPI document);
 * - `client`: client-wide objects;
 * - `client-resource`: the handler loads a client-wide object by id and hides it (404) from other clients;
 * - `resource`: the handler loads an object by id and hides it (404) from those who may not see it;
 * - a field: it names the merchant; 400 merchant-not-found and 403 forbidden are answered before the handler runs.
 */
export type MerchantScope = 'none' | 'client' | 'client-resource' | 'resource' | MerchantField;

/** What a handler makes an id from when its caller may send the request again. */
export interface Idempotency {
  /** The thing that is made gets its id from this (`idFrom`). */
  readonly seed: string;
  /** An earlier call with the same key did not finish: look for the thing before it is made. */
  readonly resumed: boolean;
}

/** What a handler is given. `params`, `query` and `body` are validated and converted. */
export interface Context<P = unknown, Q = unknown, B = unknown> {
  /** Who calls. Only endpoints with `auth: 'basic'` have one; elsewhere reading it is a bug and throws. */
  readonly principal: Principal;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly traceId: string;
  /** Set where the endpoint is `idempotent` and the caller sent an `Idempotency-Key`. */
  readonly idempotency?: Idempotency | undefined;
  readonly log: Log;
  header(name: string): string | undefined;
  /** Called once: true when the whole answer was handed to the network, false when the caller was gone before. */
  onFlushed(callback: (flushed: boolean) => void): void;
}

/** Who calls a flow, and what ends with the answer. Where a payer acts on a page: the key that created the session. */
export type Caller = Pick<Context, 'principal' | 'traceId' | 'idempotency' | 'log' | 'onFlushed'>;

/** Who changes a configuration: what its entry in the audit is made of. */
export type Changer = Pick<Caller, 'principal' | 'traceId' | 'idempotency' | 'log'>;

/** Who asks for something that belongs to the client and is made under an id of its own. */
export type Asker = Pick<Caller, 'principal' | 'traceId' | 'idempotency'>;

/** An answer that is more than a JSON body with the endpoint's usual status. */
export class Answer {
  constructor(
    readonly body: unknown,
    readonly status?: number,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** For handlers: a body with another status or with headers. Text or bytes need a `Content-Type` among them. */
export function answer(body: unknown, more: { status?: number; headers?: Record<string, string> } = {}): Answer {
  return new Answer(body, more.status, more.headers);
}

/** Worked examples of one endpoint: shown in the document, and checked by a test against Joi and the published schema. */
export interface Examples {
  /** Bodies by name. */
  readonly request?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Bodies by status, then by name. */
  readonly response?: Readonly<Record<number, Readonly<Record<string, unknown>>>>;
}

/** A file that comes as one part of `multipart/form-data`. It is read after the merchant was authorized. */
export interface Upload {
  /** Name of the part. */
  readonly part: string;
  readonly bytesMax: number;
  /** For the document; what a file is, the handler finds out from its bytes. */
  readonly contentTypes: readonly string[];
}

/** What the handler of an endpoint with an {@link Upload} finds as its body. */
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
  /** `basic`: an API key by HTTP Basic, or a bearer token that such a key asked for. */
  readonly auth: 'basic' | 'none';
  /** The key itself is asked for; a bearer token does not do. */
  readonly keyOnly?: boolean;
  /** How often one address may call it, with any credentials. What a client may do follows from method and tags (rate-group.ts). */
  readonly addressLimit?: AddressLimit;
  /** How the body is written; JSON when it is not said. */
  readonly bodyFormat?: 'json' | 'form';
  readonly merchantScope: MerchantScope;
  /** Takes an `Idempotency-Key`: every POST that makes or changes something does. */
  readonly idempotent?: boolean;
  /** Its flow writes to the audit what it changes (record-change.ts); else the call itself is written (record-audit.ts). Refusals always are. */
  readonly recordsItself?: boolean;
  /** Its answer holds what must not be stored: a repeated request finds the thing that was made and answers it anew. */
  readonly answersSecret?: boolean;
  /** Headers of the success answer, by name, as OpenAPI writes them. */
  readonly responseHeaders?: Readonly<Record<string, object>>;
  /** Content types of a success answer that is not JSON. */
  readonly produces?: readonly string[];
  /** Bodies by status. The lowest is the usual one unless `statusOnSuccess` says another. */
  readonly responses: Readonly<Record<number, Schema>>;
  readonly statusOnSuccess?: number;
  /** Beyond those that follow from `auth`, the schemas and the scope (see to-openapi). */
  readonly errors: readonly ErrorCode[];
  readonly examples?: Examples;
  /** Where another standard prescribes the shape of an error; undefined: the envelope. Its statuses are in `responses`. */
  presentError?(error: GatewayError): unknown;
  /** Left out of the request log below `debug` (probes). */
  readonly quiet?: boolean;
}

interface Definition<P, Q, B> extends Description {
  readonly request?: {
    readonly params?: ObjectSchema<P>;
    readonly query?: ObjectSchema<Q>;
    readonly body?: Schema<B>;
    /** In the place of `body`. */
    readonly upload?: Upload;
  };
  /**
   * Throws as {@link handle} does for an object that the caller may not see. An answer kept under an `Idempotency-Key` is given
   * after it only (docs/security.md#kept-answers): an idempotent endpoint whose path names the object has to have one.
   */
  authorizeResource?(context: Context<P, Q, B>, deps: HandlerDeps): Promise<unknown>;
  /** Returns the body, or {@link answer}. Throws `GatewayError` for what the caller must know; anything else is a 500. */
  handle(context: Context<P, Q, B>, deps: HandlerDeps): Promise<unknown> | unknown;
}

/** Any endpoint, as lists hold it. */
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

/** Types the handler by its schemas. The types are known here only: the list holds endpoints of all shapes. */
export function defineEndpoint<P = unknown, Q = unknown, B = unknown>(definition: Definition<P, Q, B>): Endpoint {
  return definition as unknown as Endpoint;
}

/** The status a handler answers with when it does not name one. */
export function successStatus(endpoint: Endpoint): number {
  return endpoint.statusOnSuccess ?? Math.min(...Object.keys(endpoint.responses).map(Number));
}
