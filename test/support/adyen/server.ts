/** A server that answers like Adyen's Checkout API, keeps the requests it gets, and signs its notifications. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signNotification } from '../../../shared/processors/adyen/hmac.js';
import type { AdyenNotification } from '../../../shared/processors/adyen/notification.js';
import type { AdyenModification, AdyenPayment, ModificationPath } from '../../../shared/processors/adyen/wire.js';
import { type Answer, createBank } from './bank.js';

export const account = { merchantAccount: 'CasaLumbreECOM', apiKey: 'test-api-key', hmacKey: 'a1'.repeat(32) } as const;

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: AdyenPayment & AdyenModification;
}

/** What happens to the next request to a path: executed but not answered, not even executed, or answered late. */
type Fault = 'answer-lost' | 'request-lost' | 'slow';

const SLOW_MS = 400;

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

export const notificationBody = (items: readonly AdyenNotification[], key: string = account.hmacKey): string =>
  JSON.stringify({
    live: 'false',
    notificationItems: items.map((item) => ({
      NotificationRequestItem: {
        ...item,
        additionalData: { ...item.additionalData, hmacSignature: signNotification(item, key) },
      },
    })),
  });

export async function startAdyen() {
  const bank = createBank();
  const requests: Received[] = [];
  const notifications: AdyenNotification[] = [];
  const answered = new Map<string, Answer | 'working'>();
  const faults: { path: RegExp; fault: Fault }[] = [];

  function handle(path: string, body: Received['body']): Answer | undefined {
    if (path === '/payments') return bank.pay(body);
    if (path === '/cancels') return bank.cancelByReference(body);
    const [, psp, what] = /^\/payments\/([A-Z0-9]+)\/(captures|cancels|refunds|reversals)$/.exec(path) ?? [];
    return psp && what ? bank.modify(psp, what as ModificationPath, body) : undefined;
  }

  /** Executes each key once. */
  function once(path: string, key: string, body: Received['body']): Answer | undefined {
    const before = answered.get(key);
    if (before === 'working') {
      return { status: 422, body: { status: 422, errorCode: '704', errorType: 'validation' }, notifications: [] };
    }
    if (before) return before;
    const answer = handle(path, body);
    if (!answer) return undefined;
    answered.set(key, answer);
    notifications.push(...answer.notifications);
    return answer;
  }

  const server = createServer(async (request, response) => {
    const body = JSON.parse((await textOf(request)) || '{}') as Received['body'];
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers, body });
    const send = (status: number, json: object, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
    const planned = faults.findIndex((known) => known.path.test(path));
    const [fault] = planned < 0 ? [] : faults.splice(planned, 1);
    if (fault?.fault === 'request-lost') return request.socket.destroy();
    if (request.headers['x-api-key'] !== account.apiKey) {
      return send(401, {
        status: 401,
        errorCode: '000',
        errorType: 'security',
        message: 'HTTP Status Response - Unauthorized',
      });
    }
    const key = String(request.headers['idempotency-key'] ?? '');
    const answer = key === '' ? handle(path, body) : once(path, key, body);
    if (fault?.fault === 'answer-lost') return request.socket.destroy();
    if (fault?.fault === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    if (!answer) return send(404, {});
    return send(answer.status, answer.body, { 'idempotency-key': key });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    notifications,
    bank,
    /** Returns the newest request to a path with this end. */
    last: (end: string): Received => {
      const found = requests.findLast(({ path }) => path.endsWith(end));
      if (!found) throw new Error(`nothing was sent to ${end}`);
      return found;
    },
    fault: (path: RegExp, fault: Fault) => void faults.push({ path, fault }),
    /** Marks a key as in progress until `free`. */
    occupy: (key: string) => void answered.set(key, 'working'),
    free: (key: string) => void answered.delete(key),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
