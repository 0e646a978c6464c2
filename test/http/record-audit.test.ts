/** Which calls are in the audit log, and with which outcome (docs/security.md#audit). */
import type { Request } from 'express';
import type { Endpoint } from '../../api/http/define-endpoint.js';
import { auditCall } from '../../api/http/record-audit.js';
import type { RequestState } from '../../api/http/request-state.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { AuditEntry } from '../../shared/store/audit.repository.js';

function refusedWith(error: GatewayError): AuditEntry[] {
  const entries: AuditEntry[] = [];
  const endpoint = { method: 'post', idempotent: true, auth: 'basic', operationId: 'createThing' } as Endpoint;
  const principal = { clientId: 'cli_1', keyId: 'key_1', merchants: 'all' };
  const append = async (entry: AuditEntry) => void entries.push(entry);
  const state = { principal, traceId: 'trace', remoteAddress: '203.0.113.7' } as RequestState;
  auditCall(endpoint, { params: {} } as Request, state, { append })?.refused(error);
  return entries;
}

test('too many requests are not recorded: they would fill the audit log', () => {
  expect(refusedWith(new GatewayError('too-many-requests'))).toEqual([]);
});

test.each<[string, AuditEntry['outcome'], Partial<AuditEntry>, ConstructorParameters<typeof GatewayError>[1]?]>([
  ['forbidden', 'refused', { object: '' }],
  ['timeout', 'failed', { object: '' }],
  ['internal-error', 'failed', { object: '' }],
  ['declined-by-acquirer', 'refused', { object: 'pay_1', paymentId: 'pay_1' }, { params: { paymentId: ['pay_1'] } }],
])('%s is recorded as %s', (code, outcome, more, extras) => {
  const error = new GatewayError(code as GatewayError['code'], extras);
  const call = { clientId: 'cli_1', actor: 'key_1', action: 'createThing', address: '203.0.113.7', traceId: 'trace' };
  expect(refusedWith(error)).toEqual([{ ...call, code, outcome, ...more }]);
});
