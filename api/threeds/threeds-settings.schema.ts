/** 3DS settings of a merchant's payment method (docs/api.md#3ds-settings). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import {
  body,
  fieldErrors,
  Joi,
  jsonMetadata,
  named,
  nullable,
  shownJsonMetadata,
  text,
} from '../../shared/contract/joi.js';
import type { JsonMetadata } from '../../shared/domain/json-metadata.js';
import { amountProblems, parseAmount, toDecimal } from '../../shared/domain/money/amount.js';
import type { ThreeDsSettings, Thresholds } from '../../shared/domain/threeds/settings.js';

interface AmountsBody {
  readonly checkout?: Thresholds;
  readonly api?: Thresholds;
}

export interface ThreeDsSettingsBody {
  readonly provider: string;
  readonly metadata?: JsonMetadata;
  readonly enabled?: boolean;
  readonly rules?: {
    readonly enabled?: boolean;
    readonly tier?: 'basic';
    readonly basic?: { readonly amount?: AmountsBody };
  };
}

/** Converts decimals by currency to minor units. */
function parseThresholds(sent: Record<string, string>, helpers: CustomHelpers): unknown {
  const parsed = Object.entries(sent).map(([currency, decimal]) => ({
    currency,
    amount: parseAmount(decimal, currency, { zeroAllowed: true }),
  }));
  const problems = parsed.flatMap(({ currency, amount }) =>
    amount.kind === 'problem'
      ? [
          {
            field: currency,
            reason: amountProblems[amount.problem],
            code:
              amount.problem === 'unknown-currency'
                ? ('currency-not-found' as const)
                : ('payment-invalid-amount' as const),
          },
        ]
      : [],
  );
  if (problems.length > 0) return fieldErrors(helpers, problems);
  return Object.fromEntries(
    parsed.map(({ currency, amount }) => [currency, amount.kind === 'amount' ? amount.minor : 0]),
  );
}

const thresholds = () =>
  nullable(
    Joi.object()
      .pattern(/^[A-Z]{3}$/, Joi.decimalText())
      .max(limits.arrayItemsMax)
      .custom(parseThresholds, 'thresholds'),
  );

const switchField = () => nullable(Joi.boolean().strict());

export const threeDsSettingsSchema = named(
  'ThreeDSSettingsRequest',
  body<ThreeDsSettingsBody>({
    provider: text(limits.configurationCodeLengthMax).required().description('Code of a provider of the catalogue.'),
    metadata: nullable(jsonMetadata()).description('Every key of the provider’s `requiredFields`, and optional ones.'),
    enabled: switchField().description('Default true.'),
    rules: nullable(
      body({
        enabled: switchField().description('false, or left out: every payment is authenticated.'),
        tier: nullable(Joi.string().valid('basic')),
        basic: nullable(
          body({
            amount: nullable(
              body({
                checkout: thresholds().description('Payments of sessions and links, by currency.'),
                api: thresholds().description('Payments by API, by currency.'),
              }),
            ),
          }),
        ),
      }),
    ).description('Minimum amounts for authentication. Currencies without a threshold are not authenticated.'),
  }),
);

const shownThresholds = () => Joi.object().pattern(Joi.string(), Joi.number().min(0).unsafe()).required();

export const threeDsSettingsAnswerSchema = named(
  'ThreeDSSettings',
  body({
    provider: Joi.string().required(),
    metadata: shownJsonMetadata().required(),
    enabled: Joi.boolean().required(),
    rules: body({
      enabled: Joi.boolean().required(),
      tier: Joi.string().valid('basic').required(),
      basic: body({ amount: body({ checkout: shownThresholds(), api: shownThresholds() }).required() }).required(),
    }).required(),
  }),
);

/** Returns the settings that a body asks for, with defaults for absent fields. */
export function toThreeDsSettings(sent: ThreeDsSettingsBody, provider: string): ThreeDsSettings {
  const { metadata: given = {}, enabled = true, rules } = sent;
  return {
    provider,
    metadata: Object.entries(given).map(([k, v]) => ({ k, v })),
    enabled,
    rules: {
      enabled: rules?.enabled ?? false,
      tier: 'basic',
      thresholds: { checkout: rules?.basic?.amount?.checkout ?? {}, api: rules?.basic?.amount?.api ?? {} },
    },
  };
}

const presentThresholds = (amounts: Thresholds) =>
  Object.fromEntries(Object.entries(amounts).map(([currency, minor]) => [currency, toDecimal(minor, currency)]));

export function presentThreeDsSettings({ provider, metadata: pairs, enabled, rules }: ThreeDsSettings): object {
  const { checkout, api } = rules.thresholds;
  return {
    provider,
    metadata: Object.fromEntries(pairs.map(({ k, v }) => [k, v])),
    enabled,
    rules: {
      enabled: rules.enabled,
      tier: rules.tier,
      basic: { amount: { checkout: presentThresholds(checkout), api: presentThresholds(api) } },
    },
  };
}
