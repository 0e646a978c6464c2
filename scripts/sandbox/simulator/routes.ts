/**
 * The addresses of the test processor:
 * - `POST /<personality>/{authorizations,captures,cancellations,refunds,reversals,codes}`,
 *   `GET /<personality>/{operations,transfers}/<key>`
 * - `GET [/<personality>]/ledger?since=&skip=&take=`: the books
 * - `POST` and `DELETE [/<personality>]/faults`, `POST [/<personality>]/slow`: switches for tests
 * - `POST`, `GET` and `DELETE /inbox`: callbacks that were sent to the inbox (inbox.ts)
 * - `/threeds/…`: the mock issuer (issuer-pages.ts)
 * - `/bank/<reference>`: the mock bank of a payer (bank-pages.ts)
 * - `GET /healthz`
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type OperationPath,
  operationPaths,
  type Personality,
  personalities,
} from '../../../shared/processors/sandbox/wire.js';
import { routeBank } from './bank-pages.js';
import { faultSettingsSchema, slowSchema } from './faults.js';
import { handleInquiry, handleOperation, handleTransfers, type OperationDeps } from './handle-operation.js';
import type { Inbox } from './inbox.js';
import type { Issuer } from './issuer.js';
import { routeIssuer } from './issuer-pages.js';
import { isKey, readJson } from './read-request.js';
import { sendJson } from './send-answer.js';
import { readLedgerQuery, sendLedger } from './send-ledger.js';
import type { SwitchScope } from './switches.js';

type RouteDeps = OperationDeps & { readonly issuer: Issuer; readonly inbox: Inbox };
type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

const isPersonality = (text: string | undefined): text is Personality => personalities.includes(text as Personality);
const isOperationPath = (text: string | undefined): text is OperationPath =>
  text !== undefined && Object.hasOwn(operationPaths, text);

const notFound = ({ response }: Exchange) => sendJson(response, 404, { error: 'there is nothing at this path' });
const badRequest = ({ response }: Exchange) => sendJson(response, 400, { error: 'not a request of this kind' });

async function switchFaults(deps: OperationDeps, scope: SwitchScope, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  if (request.method === 'DELETE') {
    deps.switches.clearFaults(scope);
    return sendJson(response, 200, {});
  }
  const { error, value } = faultSettingsSchema.required().validate(await readJson(request));
  if (error !== undefined) return badRequest(exchange);
  deps.switches.setFaults(scope, value);
  sendJson(response, 200, value);
}

async function switchSlow(deps: OperationDeps, scope: SwitchScope, exchange: Exchange): Promise<void> {
  const { error, value } = slowSchema.required().validate(await readJson(exchange.request));
  if (error !== undefined) return badRequest(exchange);
  deps.switches.setSlow(scope, value.ms);
  sendJson(exchange.response, 200, value);
}

async function answerLedger(deps: OperationDeps, scope: SwitchScope, exchange: Exchange): Promise<void> {
  const url = new URL(exchange.request.url ?? '/', 'http://localhost');
  const query = readLedgerQuery(url, scope === 'all' ? undefined : scope);
  if (query === undefined) return badRequest(exchange);
  await sendLedger(exchange.response, deps.ledger, query);
}

type Handle = (deps: RouteDeps, scope: SwitchScope, exchange: Exchange) => Promise<void>;

/** Paths that exist both for all personalities (`/faults`) and for one (`/lagging/faults`). */
const scoped: Readonly<Record<string, Handle>> = {
  'GET ledger': answerLedger,
  'POST faults': switchFaults,
  'DELETE faults': switchFaults,
  'POST slow': switchSlow,
};

async function answerIssuer(issuer: Issuer, path: readonly (string | undefined)[], exchange: Exchange): Promise<void> {
  const steps = path.filter((step) => step !== undefined);
  if (!(await routeIssuer(issuer, steps, exchange))) notFound(exchange);
}

/** Routes a request to one personality of the acquirer. */
async function routePersonality(
  deps: RouteDeps,
  personality: Personality,
  [second, third]: readonly (string | undefined)[],
  exchange: Exchange,
): Promise<void> {
  const { request, response } = exchange;
  const { method } = request;
  if (method === 'POST' && third === undefined && isOperationPath(second)) {
    return handleOperation(deps, personality, second, request, response);
  }
  if (method === 'GET' && isKey(third)) {
    if (second === 'operations') return handleInquiry(deps, personality, third, response);
    if (second === 'transfers') return handleTransfers(deps, personality, third, response);
  }
  const handle = third === undefined ? scoped[`${method} ${second}`] : undefined;
  return handle === undefined ? notFound(exchange) : handle(deps, personality, exchange);
}

async function receiveCallback({ inbox }: RouteDeps, _scope: SwitchScope, exchange: Exchange): Promise<void> {
  const body = await readJson(exchange.request);
  if (body === undefined) return badRequest(exchange);
  inbox.receive(body);
  sendJson(exchange.response, 200, {});
}

/** Paths that exist only once. */
const unscoped: Readonly<Record<string, Handle>> = {
  'GET healthz': async (_deps, _scope, { response }) => sendJson(response, 200, { status: 'ok' }),
  'POST inbox': receiveCallback,
  'GET inbox': async ({ inbox }, _scope, { response }) => sendJson(response, 200, inbox.list()),
  'DELETE inbox': async ({ inbox }, _scope, { response }) => {
    inbox.clear();
    sendJson(response, 200, {});
  },
};

/** Answers one request. */
export async function route(deps: RouteDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const exchange = { request, response };
  const { method } = request;
  const [path = ''] = (request.url ?? '/').split('?', 1);
  const [, first, second, third, ...rest] = path.split('/');
  if (rest.length > 0) return notFound(exchange);
  if (first === 'bank' && second !== undefined && third === undefined) return routeBank(deps.codes, second, exchange);
  if (first === 'threeds') return answerIssuer(deps.issuer, [second, third], exchange);
  if (isPersonality(first)) return routePersonality(deps, first, [second, third], exchange);
  if (second !== undefined) return notFound(exchange);
  const handle = unscoped[`${method} ${first}`] ?? scoped[`${method} ${first}`];
  return handle === undefined ? notFound(exchange) : handle(deps, 'all', exchange);
}
