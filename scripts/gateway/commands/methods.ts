import { validationOptions } from '../../../shared/contract/joi.js';
import { createPaymentMethodSchema } from '../../../shared/contract/merchant/payment-method.schema.js';
import { validationError } from '../../../shared/contract/validation-error.js';
import {
  modeOf,
  modeProblem,
  type SettingsDraft,
} from '../../../shared/domain/merchant/payment-method-configuration.js';
import {
  isPaymentMethodId,
  type PaymentMethodId,
  paymentMethodIds,
} from '../../../shared/domain/payment-method-catalog.js';
import { processorCodesIn } from '../../../shared/processors/capabilities.js';
import { routeFacilitator } from '../../../shared/processors/route-facilitator.js';
import { configureMethod } from '../../../shared/provisioning/configure-method.js';
import { ProvisioningError } from '../../../shared/provisioning/provisioning.js';
import { type CommandGroup, type Input, type Tools, UsageError } from '../command.js';
import { findMerchant, merchantWord } from './merchants.js';

const methodWord = { name: 'method', about: `Code of the method: ${paymentMethodIds.join(', ')}.` };

function readMethod(text: string): PaymentMethodId {
  if (isPaymentMethodId(text)) return text;
  throw new UsageError(`There is no payment method "${text}". There are: ${paymentMethodIds.join(', ')}.`);
}

function readSettings(input: Input): SettingsDraft {
  const text = (name: string, option: string) => {
    const value = input.optional(option);
    return value === undefined ? {} : { [name]: value };
  };
  const [facilitator, subMerchant] = [input.optional('facilitator'), input.optional('sub-merchant')];
  if ((facilitator === undefined) !== (subMerchant === undefined)) {
    throw new UsageError('--facilitator and --sub-merchant go together.', ['methods', 'set']);
  }
  return {
    ...text('merchantIdentificationNumber', 'merchant-number'),
    ...text('terminalNumber', 'terminal'),
    ...text('rut', 'rut'),
    ...text('merchantCategoryCode', 'mcc'),
    paymentProcessor: { acquirer: input.text('acquirer'), ...text('id', 'processor') },
    ...(facilitator !== undefined && { paymentFacilitator: { id: facilitator, merchantId: subMerchant ?? '' } }),
  };
}

/** The option behind a field of the API, so that what is wrong is named as it was written here. */
const optionOf: Readonly<Record<string, string>> = {
  'settings.merchantIdentificationNumber': '--merchant-number',
  'settings.terminalNumber': '--terminal',
  'settings.rut': '--rut',
  'settings.merchantCategoryCode': '--mcc',
  'settings.paymentProcessor.id': '--processor',
  'settings.paymentProcessor.acquirer': '--acquirer',
  'settings.paymentFacilitator.id': '--facilitator',
  'settings.paymentFacilitator.merchantId': '--sub-merchant',
};

const inOptions = (problem: string) =>
  problem.replace(/"(settings\.[\w.]+)"/, (whole, field: string) => optionOf[field] ?? whole);

/** The rules of the API's own endpoint, so that the two ways to configure a method cannot differ. */
function check(tools: Tools, id: PaymentMethodId, settings: SettingsDraft): void {
  const { environment } = tools.provisioning.config;
  const { error } = createPaymentMethodSchema.validate({ id, settings }, validationOptions);
  if (error) {
    const problems = Object.values(validationError(error.details).params ?? {}).flat();
    throw new ProvisioningError(`Not configured: ${problems.map(inOptions).join('; ')}.`);
  }
  const mode = modeOf(settings);
  const wrongMode = modeProblem(id, mode);
  if (wrongMode !== undefined) throw new ProvisioningError(`Not configured: the settings ${wrongMode}.`);
  const available: readonly string[] = processorCodesIn(environment);
  if (mode === 'gateway' && !available.includes(settings.paymentProcessor?.id ?? '')) {
    throw new ProvisioningError(
      `Not configured: --processor takes one of ${available.join(', ') || '(there is none)'}.`,
    );
  }
  if (mode === 'payment-facilitator' && !routeFacilitator(settings, environment)) {
    throw new ProvisioningError('Not configured: --facilitator belongs to no processor of this installation.');
  }
}

export const methods: CommandGroup = {
  name: 'methods',
  summary: 'Payment methods of a merchant.',
  commands: [
    {
      path: ['methods', 'list'],
      summary: 'Shows what a merchant is configured for.',
      words: [merchantWord],
      examples: ['methods list 10001'],
      async run(input, tools) {
        const { id } = await findMerchant(tools, input.word('merchant'));
        const found = await tools.provisioning.paymentMethods.findPaymentMethodsOf(id);
        return {
          kind: 'rows',
          rows: found.map((method) => ({
            method: method.id,
            enabled: method.enabled,
            mode: method.mode,
            processor: method.settings.paymentProcessor?.id ?? null,
            acquirer: method.settings.paymentProcessor?.acquirer ?? null,
            merchantNumber: method.settings.merchantIdentificationNumber ?? null,
            updatedAt: method.updatedAt,
          })),
          empty: `Merchant ${id} has no payment method: npx gateway methods set ${id} visa --help`,
        };
      },
    },
    {
      path: ['methods', 'set'],
      summary: 'Configures a payment method, in the place of what the merchant had under this code.',
      details: 'With --facilitator the mode is payment-facilitator, else gateway. The rules are those of the API.',
      words: [merchantWord, methodWord],
      options: {
        acquirer: { value: '<code>', about: 'The acquirer behind the processor.', required: true },
        processor: { value: '<code>', about: 'A processor of this installation. Gateway mode, required there.' },
        'merchant-number': { value: '<text>', about: 'Its number at the acquirer. Gateway mode, required there.' },
        terminal: { value: '<text>', about: 'Terminal number. Gateway mode.' },
        rut: { value: '<digits>', about: 'Tax id: 12 digits, or 14 in the Brazilian form. Gateway mode.' },
        mcc: { value: '<digits>', about: 'Merchant category code, ISO 18245. Gateway mode.' },
        facilitator: { value: '<id>', about: 'Id of the payment facilitator.' },
        'sub-merchant': { value: '<id>', about: 'Id of the merchant at the facilitator.' },
        disabled: { about: 'Configured, but not to be used yet.' },
      },
      examples: [
        'methods set 10001 visa --processor sandbox --acquirer sandbox-acquirer --merchant-number 123 --terminal 1',
      ],
      async run(input, tools) {
        const id = readMethod(input.word('method'));
        const settings = readSettings(input);
        const { id: merchantId, clientId } = await findMerchant(tools, input.word('merchant'));
        check(tools, id, settings);
        const [mode, enabled] = [modeOf(settings), !input.flag('disabled')];
        await configureMethod(tools.provisioning, { merchantId, id, mode, settings, enabled });
        await tools.record({
          action: 'payment-method.configured',
          object: `${merchantId}/${id}`,
          clientId,
          merchantId,
        });
        return {
          kind: 'record',
          done: `Merchant ${merchantId} is configured for ${id}.`,
          record: { merchantId, method: id, mode, enabled },
          note: 'Every process knows within five seconds.',
        };
      },
    },
    {
      path: ['methods', 'remove'],
      summary: 'Removes a payment method; payments that were made with it stay.',
      words: [merchantWord, methodWord],
      examples: ['methods remove 10001 visa'],
      async run(input, tools) {
        const id = readMethod(input.word('method'));
        const { id: merchantId, clientId } = await findMerchant(tools, input.word('merchant'));
        if (!(await tools.provisioning.paymentMethods.deletePaymentMethod(merchantId, id))) {
          throw new ProvisioningError(`Merchant ${merchantId} is not configured for ${id}.`);
        }
        await tools.record({ action: 'payment-method.removed', object: `${merchantId}/${id}`, clientId, merchantId });
        return { kind: 'record', done: `Removed ${id} of merchant ${merchantId}.`, record: { merchantId, method: id } };
      },
    },
  ],
};
