/** `POST /v1/merchants/{merchantId}/threeds/check` (docs/api.md#3ds-check). */
import { limits } from '../../config/limits.js';
import { currencyText } from '../../shared/contract/amount.schema.js';
import { body, Joi, named, nullable, openCode, text, withErrorCode } from '../../shared/contract/joi.js';
import type { BrowserDetails } from '../../shared/domain/payment/payment.js';
import { browserDetailsSchema, referenceText } from '../payments/payment-request.schema.js';

const indicators = ['payment', 'recurring', 'installment', 'add-card'];
const processingMethods = ['api', 'checkout', 'link'];
const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

export interface ThreeDsCheckBody {
  readonly referenceId?: string;
  readonly token?: string;
  readonly paymentMethodId?: string;
  readonly bin?: string;
  /** Decimal text. */
  readonly amount: string;
  readonly currency: string;
  readonly indicator?: string;
  readonly processingMethod?: string;
  readonly browserDetails?: BrowserDetails;
}

const GUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
const ignored = () => Joi.any().strip().description('Ignored: taken from the path and the credentials.');

export const threeDsCheckSchema = named(
  'ThreeDSCheckRequest',
  body<ThreeDsCheckBody>(
    {
      referenceId: nullable(referenceText()),
      token: nullable(Joi.string().pattern(GUID, 'a GUID')).description(
        'A saved card. Its payment method is checked, whatever paymentMethodId says.',
      ),
      paymentMethodId: nullable(text(limits.configurationCodeLengthMax)).description(
        'For example `visa`. Required without a token, and not read with one.',
      ),
      bin: nullable(Joi.string().pattern(/^\d{6,8}$/, '6 to 8 digits')),
      amount: withErrorCode('payment-invalid-amount', Joi.decimalText()).required(),
      currency: currencyText().required(),
      indicator: openCode().description(`${listed(indicators)}; other values are accepted and have no effect.`),
      processingMethod: openCode().description(
        `${listed(processingMethods)}. Default, also for other values: \`api\`.`,
      ),
      browserDetails: nullable(browserDetailsSchema),
    },
    { merchantId: ignored(), clientId: ignored() },
  ),
);

export const threeDsCheckAnswerSchema = named(
  'ThreeDSCheck',
  body({
    isRequired: Joi.boolean().required(),
    paymentMethodId: Joi.string().required().description('Filled in when a token was sent.'),
  }),
);
