import { validationError } from '../../../api/http/validation-error.js';
import { routesRefusal } from '../../../api/merchants/check-configuration.js';
import {
  type CreatePaymentMethodBody,
  createPaymentMethodSchema,
} from '../../../api/merchants/payment-method.schema.js';
import { modeOf, modeProblem, type SettingsDraft } from '../../../api/merchants/payment-method-configuration.js';
import { presentPaymentMethod } from '../../../api/merchants/present-payment-method.js';
import { validationOptions } from '../../../shared/contract/joi.js';
import {
  isPaymentMethodId,
  type PaymentMethodId,
  paymentMethodIds,
} from '../../../shared/domain/payment-method-catalog.js';
import { processorCodesIn } from '../../../shared/processors/capabilities.js';
import { routeFacilitator } from '../../../shared/processors/route-facilitator.js';
import { configureMethod } from '../../provisioning/configure-method.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import { type CommandGroup, type Input, type Tools, UsageError } from '../command.js';
import { findMerchant, merchantWord } from './merchants.js';

const methodWord = { name: 'method', about: `Code of the method: ${paymentMethodIds.join(', ')}.` };

function readMethod(text: string): PaymentMethodId {
  if (isPaymentMethodId(text)) return text;
  throw new UsageError(`There is no payment method "${text}". There are: ${paymentMethodIds.join(', ')}.`);
}

/** Reads the field of the API as JSON: a list of objects has no shorter form to type. The schema checks the content. */
function readRoutes(input: Input): Pick<SettingsDraft, 'routes' | 'retrySoftDeclines'> {
  const json = input.optional('routes');
  const retry = input.flag('retry-soft-declines') ? { retrySoftDeclines: true } : {};
  if (json === undefined) return retry;
  try {
    return { routes: JSON.parse(json) as NonNullable<SettingsDraft['routes']>, ...retry };
  } catch {
    throw new UsageError('--routes takes JSON: the list of routes as the API takes it (docs/routing.md).', [
      'methods',
      'set',
    ]);
  }
}

function readSettings(input: Input): SettingsDraft {
  const text = (name: string, option: string) => {
    const value = input.optional(option);
    return value === undefined ? {} : { [name]: value };
  };
  const facilitator = input.optional('payment-facilitator-id');
  const subMerchant = input.optional('payment-facilitator-merchant-id');
  if ((facilitator === undefined) !== (subMerchant === undefined)) {
    const names = '--payment-facilitator-id and --payment-facilitator-merchant-id';
    throw new UsageError(`${names} go together.`, ['methods', 'set']);
  }
  return {
    ...text('merchantIdentificationNumber', 'merchant-identification-number'),
    ...text('terminalNumber', 'terminal-number'),
    ...text('rut', 'rut'),
    ...text('merchantCategoryCode', 'merchant-category-code'),
    paymentProcessor: { acquirer: input.text('payment-processor-acquirer'), ...text('id', 'payment-processor-id') },
    ...(facilitator !== undefined && { paymentFacilitator: { id: facilitator, merchantId: subMerchant ?? '' } }),
    ...readRoutes(input),
  };
}

/** Rewrites an error of the API to name the option, which is called by the field's path. For routes it names the field in the JSON. */
const inOptions = (problem: string) =>
  problem.replace(/"settings\.([\w.]+)"/, (_, path: string) => {
    if (path.startsWith('routes.')) return `${path} in --routes`;
    const words = path.replace(/\.|(?=[A-Z])/g, '-');
    return `--${words.toLowerCase()}`;
  });

/** Applies the rules of the API's endpoint, so that both ways to configure a method agree. Returns the settings as the API stores them. */
function check(tools: Tools, id: PaymentMethodId, given: SettingsDraft): SettingsDraft {
  const { environment } = tools.provisioning.config;
  const { error, value } = createPaymentMethodSchema.validate({ id, settings: given }, validationOptions);
  if (error) {
    const problems = Object.values(validationError(error.details).params ?? {}).flat();
    throw new ProvisioningError(`Not configured: ${problems.map(inOptions).join('; ')}.`);
  }
  const { settings } = value as CreatePaymentMethodBody;
  const mode = modeOf(settings);
  const wrongMode = modeProblem(id, mode);
  if (wrongMode !== undefined) throw new ProvisioningError(`Not configured: the settings ${wrongMode}.`);
  const available: readonly string[] = processorCodesIn(environment);
  if (mode === 'gateway' && !available.includes(settings.paymentProcessor?.id ?? '')) {
    throw new ProvisioningError(
      `Not configured: --payment-processor-id takes one of ${available.join(', ') || '(there is none)'}.`,
    );
  }
  const route = routesRefusal(id, settings, available);
  if (route) throw new ProvisioningError(`Not configured: ${inOptions(`"${route.field}" ${route.reason}`)}.`);
  if (mode === 'payment-facilitator' && !routeFacilitator(settings, environment)) {
    throw new ProvisioningError(
      'Not configured: --payment-facilitator-id belongs to no processor of this installation.',
    );
  }
  return settings;
}

const notConfigured = (merchantId: number, id: PaymentMethodId) =>
  new ProvisioningError(`Merchant ${merchantId} is not configured for ${id}.`);

const onOrOff = (is: boolean) => (is ? 'on' : 'off');

/** `undefined` leaves it unchanged. */
function readEnabled(input: Input): boolean | undefined {
  const [on, off] = [input.flag('enabled'), input.flag('disabled')];
  if (on && off) throw new UsageError('Give --enabled or --disabled, not both.', ['methods', 'set']);
  return on || off ? on : undefined;
}

export const methods: CommandGroup = {
  name: 'methods',
  summary: 'Payment methods of a merchant.',
  commands: [
    {
      path: ['methods', 'list'],
      reads: true,
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
            routes: method.settings.routes?.length ?? 1,
            threeDs: method.threeDs ? onOrOff(method.threeDs.enabled) : null,
            updatedAt: method.updatedAt,
          })),
          empty: `Merchant ${id} has no payment method: ./gateway methods set ${id} visa --help`,
        };
      },
    },
    {
      path: ['methods', 'show'],
      reads: true,
      summary: 'Shows how a payment method is configured, as the API does.',
      details: '`settings.routes` is what --routes of `methods set` takes.',
      words: [merchantWord, methodWord],
      examples: ['methods show 10001 visa'],
      async run(input, tools) {
        const id = readMethod(input.word('method'));
        const { id: merchantId } = await findMerchant(tools, input.word('merchant'));
        const method = await tools.provisioning.paymentMethods.readPaymentMethod(merchantId, id);
        if (!method) throw notConfigured(merchantId, id);
        const answer = { merchantId, ...presentPaymentMethod(method) };
        return { kind: 'report', answer, text: JSON.stringify(answer, null, 2) };
      },
    },
    {
      path: ['methods', 'set'],
      summary: 'Configures a payment method, in the place of what the merchant had under this code.',
      details:
        'With --payment-facilitator-id the mode is payment-facilitator, else gateway. The rules are those of the API. What is not given is removed, routes too: `methods show` has them.',
      words: [merchantWord, methodWord],
      options: {
        'payment-processor-acquirer': { value: '<code>', about: 'The acquirer behind the processor.', required: true },
        'payment-processor-id': {
          value: '<code>',
          about: 'A processor of this installation. Gateway mode, required there.',
        },
        'merchant-identification-number': {
          value: '<text>',
          about: 'Its number at the acquirer. Gateway mode, required there.',
        },
        'terminal-number': { value: '<text>', about: 'Terminal number. Gateway mode.' },
        rut: { value: '<digits>', about: 'Tax id: 12 digits, or 14 in the Brazilian form. Gateway mode.' },
        'merchant-category-code': { value: '<digits>', about: 'Merchant category code, ISO 18245. Gateway mode.' },
        'payment-facilitator-id': { value: '<id>', about: 'Id of the payment facilitator.' },
        'payment-facilitator-merchant-id': { value: '<id>', about: 'Id of the merchant at the facilitator.' },
        routes: { value: '<json>', about: 'List of routes, as the API takes it (docs/routing.md). Gateway mode.' },
        'retry-soft-declines': { about: 'The next route is tried after a decline whose advice is retry-later.' },
        disabled: { about: 'Configured, but not to be used yet.' },
        enabled: { about: 'To be used. Without either it stays as it was; a new one is enabled.' },
      },
      examples: [
        'methods set 10001 visa --payment-processor-id sandbox --payment-processor-acquirer sandbox-acquirer --merchant-identification-number 123',
      ],
      async run(input, tools) {
        const id = readMethod(input.word('method'));
        const given = readSettings(input);
        const { id: merchantId, clientId } = await findMerchant(tools, input.word('merchant'));
        const settings = check(tools, id, given);
        const mode = modeOf(settings);
        await configureMethod(tools.provisioning, { merchantId, id, mode, settings, enabled: readEnabled(input) });
        const enabled = (await tools.provisioning.paymentMethods.readPaymentMethod(merchantId, id))?.enabled;
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
      details: 'Its settings of 3D Secure go with it.',
      words: [merchantWord, methodWord],
      options: { force: { about: 'With its settings of 3D Secure too, if it has some.' } },
      examples: ['methods remove 10001 visa'],
      async run(input, tools) {
        const id = readMethod(input.word('method'));
        const { id: merchantId, clientId } = await findMerchant(tools, input.word('merchant'));
        const { paymentMethods } = tools.provisioning;
        if (!input.flag('force') && (await paymentMethods.readPaymentMethod(merchantId, id))?.threeDs) {
          throw new ProvisioningError(
            `Not removed: ${id} of merchant ${merchantId} has settings of 3D Secure, which go with it. Say --force.`,
          );
        }
        if (!(await paymentMethods.deletePaymentMethod(merchantId, id))) {
          throw notConfigured(merchantId, id);
        }
        await tools.record({ action: 'payment-method.removed', object: `${merchantId}/${id}`, clientId, merchantId });
        return { kind: 'record', done: `Removed ${id} of merchant ${merchantId}.`, record: { merchantId, method: id } };
      },
    },
  ],
};
