/** HTTP calls of the start page: to the public API, as any integrator makes them, and to the inbox of the test processor. */
import { limits } from '../../../config/limits.js';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import type { ExchangeRequest } from '../../../shared/processors/http-exchange.js';
import type { SandboxFile } from './sandbox-file.js';

/** @throws {GatewayError} `service-unavailable` when there is no answer. */
async function ask(baseUrl: string, request: ExchangeRequest): Promise<{ status: number; json: unknown }> {
  // Loaded only when a page is tried: an API process makes no other HTTP request.
  const { createHttpExchange } = await import('../../../shared/processors/http-exchange.js');
  const http = createHttpExchange({ baseUrl, timeoutMs: limits.sandboxCallMs });
  try {
    const answer = await http.exchange(request);
    if (answer.kind === 'answered') return answer;
    throw new GatewayError('service-unavailable', {
      internal: `${request.method} ${request.path}: ${answer.internal}`,
    });
  } finally {
    await http.close();
  }
}

const basic = ({ clientId, apiKey }: SandboxFile) => `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`;

/**
 * Makes one call of the API with the credentials of the sandbox.
 * @param accepted statuses that are not a failure.
 * @throws {GatewayError} `service-unavailable` with the answer as its internal reason, for the log.
 */
export async function callApi(
  sandbox: SandboxFile,
  { method = 'POST', path, body }: { readonly method?: 'POST' | 'PUT'; readonly path: string; readonly body: object },
  accepted: readonly number[] = [200, 201],
): Promise<unknown> {
  const request = { method, path, body, headers: { authorization: basic(sandbox) } } as const;
  const { status, json } = await ask(sandbox.baseUrl, request);
  if (accepted.includes(status)) return json;
  throw new GatewayError('service-unavailable', { internal: `${method} ${path}: ${status} ${JSON.stringify(json)}` });
}

/** A callback that arrived. */
export interface InboxEntry {
  readonly at: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Reads the callbacks that arrived, newest first; none without a test processor. */
export async function readInbox(processorUrl: string | undefined): Promise<readonly InboxEntry[]> {
  if (processorUrl === undefined) return [];
  const request = { method: 'GET', path: '/inbox', bytesMax: limits.sandboxInboxBytesMax } as const;
  const { json } = await ask(processorUrl, request);
  return json as readonly InboxEntry[];
}
