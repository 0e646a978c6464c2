/** `GET /v1/codes` (docs/api.md#operations; docs/decisions.md, "QR expiry, payload"). */
import { limits } from '../../config/limits.js';
import { body, Joi, named, query, text } from '../../shared/contract/joi.js';
import { codeTypes } from '../payments/payment.schema.js';

export const codeQuerySchema = query<{ readonly paymentMethod: string; readonly value: string }>({
  paymentMethod: text(limits.configurationCodeLengthMax).required().description('Payment method of the code.'),
  value: text(limits.codeLengthMax).required().description('`code.value` of the payment.'),
});

export const codeSchema = named(
  'Code',
  body({
    type: Joi.string()
      .valid(...codeTypes)
      .required(),
    value: Joi.string().required(),
    base64Image: Joi.string().required().description('PNG, base64.'),
    expiresAt: Joi.string().isoDate().required().description('Do not show the code after this time.'),
  }),
);
