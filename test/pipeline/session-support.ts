import type { HostedCaller, HostedPaymentInput } from '../../api/sessions/hosted-inputs.js';
import type { HostedSession } from '../../api/sessions/hosted-session.js';
import { createLog } from '../../shared/log.js';
import type { TestGateway } from '../support/gateway.js';

let references = 0;
export const newReference = (kind: string) => {
  references += 1;
  return `${kind}-${process.pid}-${Date.now()}-${references}`;
};

/** A checkout that is valid as it is; `more` replaces top-level fields. */
export function checkoutBody(more: Record<string, unknown> = {}) {
  return {
    merchantId: 1001,
    referenceId: newReference('session'),
    type: 'checkout',
    paymentRequest: {
      referenceId: newReference('order'),
      invoiceNumber: 'INV-S-1',
      amount: { total: 10.5, currency: 'USD' },
    },
    ...more,
  };
}

export function tokenizationBody(more: Record<string, unknown> = {}) {
  return { merchantId: 1001, referenceId: newReference('session'), type: 'tokenization', ...more };
}

export const visa = '4242424242424242';

export const typedCard = (number = visa) => ({ number, expMonth: 12, expYear: 2034, cvc: '123' });

export const cardInput = (
  attempt: number,
  number = visa,
  more: Partial<HostedPaymentInput> = {},
): HostedPaymentInput => ({
  attempt,
  source: { kind: 'card', ...typedCard(number) },
  browserDetails: { ipAddress: '203.0.113.7', userAgent: 'Mozilla/5.0' },
  ...more,
});

export const caller: HostedCaller = {
  traceId: 'trace-of-the-page',
  log: createLog('test', 'silent'),
};

/** Makes a session by the API. */
export async function makeSession(gateway: TestGateway, body: Record<string, unknown>) {
  const made = await gateway.call('POST', '/v1/sessions', body);
  if (made.status !== 200) throw new Error(`the session was refused: ${JSON.stringify(made.body)}`);
  return made.body;
}

/** Opens it as a page does: by the id and the token of its URL. */
export async function openSession(gateway: TestGateway, session: { id: string; actions: { href: string }[] }) {
  const token = new URL(session.actions[0]?.href ?? '').searchParams.get('token') ?? '';
  const opened = await gateway.flows.hostedSessions.find(session.id, token);
  if (!opened) throw new Error('the session does not open with its own token');
  return opened as HostedSession;
}
