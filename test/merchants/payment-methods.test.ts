import type { ApiDeps } from '../../api/deps.js';
import type { Changer } from '../../api/http/define-endpoint.js';
import { recordChange } from '../../api/http/record-change.js';
import { createPaymentMethod } from '../../api/merchants/create-payment-method.js';
import { processorCodesIn } from '../../shared/processors/capabilities.js';
import { routeFacilitator } from '../../shared/processors/route-facilitator.js';
import { type Line, memoryLog } from '../http/app-under-test.js';

const lines: Line[] = [];
const changer: Changer = {
  principal: { clientId: 'cli_1', keyId: 'key_1', merchants: 'all' },
  traceId: 'trace',
  log: memoryLog(lines),
};
const gateway = { merchantIdentificationNumber: '1', paymentProcessor: { id: 'sandbox', acquirer: 'a' } };
const facilitator = (id: string, acquirer = 'a') => ({
  paymentFacilitator: { id, merchantId: 's' },
  paymentProcessor: { acquirer },
});

test('production has no test processors', () => {
  expect(processorCodesIn('testing')).toContain('sandbox');
  expect(processorCodesIn('production').filter((code) => code.startsWith('sandbox'))).toEqual([]);
});

/** Facilitators that production refuses: with exactly one processor there are none, as every facilitator is reached through it. */
const facilitators = processorCodesIn('production').length === 1 ? [] : [facilitator('sandbox')];

test.each([
  ['settings.paymentProcessor.id', gateway] as const,
  ...facilitators.map((settings) => ['settings.paymentFacilitator.id', settings] as const),
])('production refuses settings that only testing can charge: %s', async (field, settings) => {
  // There is no store here: the refusal comes before anything is written.
  const deps = { config: { environment: 'production' } } as unknown as ApiDeps;
  await expect(createPaymentMethod(deps, 1, { id: 'visa', settings }, changer)).rejects.toMatchObject({
    code: 'request-validation-errors',
    params: { [field]: [expect.stringContaining('of this installation')] },
  });
});

test('a facilitator is reached through the processor of its name, of its acquirer, or the test processor', () => {
  expect(routeFacilitator(facilitator('sandbox-lagging', 'sandbox-forgetful'), 'testing')).toBe('sandbox-lagging');
  expect(routeFacilitator(facilitator('anybody', 'sandbox-forgetful'), 'testing')).toBe('sandbox-forgetful');
  expect(routeFacilitator(facilitator('anybody'), 'testing')).toBe('sandbox');
  expect(routeFacilitator(facilitator('sandbox'), 'production', [])).toBeUndefined();
  expect(routeFacilitator(facilitator('anybody'), 'production', ['acme'])).toBe('acme');
  expect(routeFacilitator(facilitator('anybody'), 'production', ['acme', 'other'])).toBeUndefined();
  expect(routeFacilitator(facilitator('acme'), 'production', ['acme', 'other'])).toBe('acme');
});

test('a change that cannot be written to the audit is logged, and the call fails', async () => {
  const audit = { append: () => Promise.reject(new Error('away')) };
  const change = { action: 'payment-method.created', merchantId: 7, object: 'visa' };
  await expect(recordChange({ audit }, changer, change)).rejects.toThrow('away');
  expect(lines).toMatchObject([
    { level: 'error', message: 'audit.not-written', kind: 'payment-method.created', merchantId: 7 },
  ]);
  expect(lines[0]?.reason).toContain('7/visa');
});
