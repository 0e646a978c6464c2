import fc from 'fast-check';
import {
  modeOf,
  modeProblem,
  type SettingsDraft,
  settingsProblems,
} from '../../api/merchants/payment-method-configuration.js';

const gateway: SettingsDraft = {
  merchantIdentificationNumber: '1',
  paymentProcessor: { id: 'sandbox', acquirer: 'a' },
};
const facilitator: SettingsDraft = {
  paymentFacilitator: { id: 'f', merchantId: 's' },
  paymentProcessor: { acquirer: 'a' },
};
const fieldsOf = (settings: SettingsDraft) => settingsProblems(settings).map(({ field }) => field);

test('the settings determine the mode', () => {
  expect([modeOf(gateway), modeOf(facilitator), modeOf({})]).toEqual(['gateway', 'payment-facilitator', 'gateway']);
});

test.each<[string, SettingsDraft, string[]]>([
  ['gateway', gateway, []],
  ['gateway, all of it', { ...gateway, terminalNumber: '1', rut: '211003420017', merchantCategoryCode: '5942' }, []],
  ['facilitator', facilitator, []],
  ['nothing', {}, ['paymentProcessor', 'merchantIdentificationNumber']],
  ['no number', { paymentProcessor: { id: 'x', acquirer: 'a' } }, ['merchantIdentificationNumber']],
  ['no processor id', { ...gateway, paymentProcessor: { acquirer: 'a' } }, ['paymentProcessor.id']],
  ['no acquirer', { paymentFacilitator: { id: 'f', merchantId: 's' } }, ['paymentProcessor']],
  ['both modes', { ...facilitator, ...gateway }, ['merchantIdentificationNumber', 'paymentProcessor.id']],
  [
    'facilitator with all of the other',
    { ...facilitator, terminalNumber: '1', rut: '2', merchantCategoryCode: '3' },
    ['terminalNumber', 'rut', 'merchantCategoryCode'],
  ],
])('the problems of settings are found by field: %s', (_name, settings, fields) => {
  expect(fieldsOf(settings)).toEqual(fields);
});

test('facilitator settings become invalid when a field of gateway mode is added', () => {
  const stranger = fc.constantFrom<SettingsDraft>(
    { merchantIdentificationNumber: '1' },
    { terminalNumber: '1' },
    { rut: '1' },
    { merchantCategoryCode: '1' },
    { paymentProcessor: { id: 'x', acquirer: 'a' } },
  );
  fc.assert(fc.property(stranger, (more) => fieldsOf({ ...facilitator, ...more }).length > 0));
});

test('a method that has only one mode refuses the other by name', () => {
  expect(modeProblem('visa', 'payment-facilitator')).toBeUndefined();
  expect(modeProblem('amex', 'payment-facilitator')).toBe(
    'are of payment-facilitator mode, and American Express can be used in gateway mode only',
  );
  expect(modeProblem('instant-transfer', 'gateway')).toBe(
    'are of gateway mode, and Instant transfer can be used in payment-facilitator mode only',
  );
});
