/**
 * Rules for the settings of a merchant's payment method (docs/api.md#merchant-payment-methods). A configuration has exactly one mode,
 * which follows from its settings: with `paymentFacilitator` it is in payment-facilitator mode.
 */
import type { PaymentMethodSettings } from '../../shared/domain/merchant.js';
import {
  type PaymentMethodId,
  type PaymentMethodMode,
  paymentMethodCatalog,
  supportsMode,
} from '../../shared/domain/payment-method-catalog.js';

/** Settings as they were sent: the required fields depend on the mode. */
export type SettingsDraft = Omit<PaymentMethodSettings, 'paymentProcessor'> & {
  readonly paymentProcessor?: { readonly id?: string; readonly acquirer: string };
};

export interface SettingsProblem {
  /** Path below `settings`. */
  readonly field: string;
  /** Worded to follow the field's name. */
  readonly reason: string;
}

export function modeOf(settings: SettingsDraft): PaymentMethodMode {
  return settings.paymentFacilitator ? 'payment-facilitator' : 'gateway';
}

/** Fields from the merchant's own contract with an acquirer. In the other mode the facilitator has the contract. */
const gatewayFields = ['merchantIdentificationNumber', 'terminalNumber', 'rut', 'merchantCategoryCode'] as const;

/** Lists every violation of the mode's rules, each with its field. */
export function settingsProblems(settings: SettingsDraft): SettingsProblem[] {
  const { paymentProcessor, merchantIdentificationNumber } = settings;
  const problems: SettingsProblem[] = [];
  const mode = modeOf(settings);
  const demand = (field: string) => problems.push({ field, reason: `is required in ${mode} mode` });
  const exclude = (field: string) =>
    problems.push({ field, reason: 'belongs to gateway mode and is not allowed with paymentFacilitator' });

  if (!paymentProcessor) demand('paymentProcessor');
  if (mode === 'gateway') {
    if (merchantIdentificationNumber === undefined) demand('merchantIdentificationNumber');
    if (paymentProcessor && paymentProcessor.id === undefined) demand('paymentProcessor.id');
    return problems;
  }
  for (const field of gatewayFields) if (settings[field] !== undefined) exclude(field);
  if (paymentProcessor?.id !== undefined) exclude('paymentProcessor.id');
  return problems;
}

/** Why the method cannot be used in this mode; undefined when it can. */
export function modeProblem(id: PaymentMethodId, mode: PaymentMethodMode): string | undefined {
  if (supportsMode(id, mode)) return undefined;
  const { name, modes } = paymentMethodCatalog[id];
  return `are of ${mode} mode, and ${name} can be used in ${modes.join(' or ')} mode only`;
}
