import { body, Joi, named } from '../../shared/contract/joi.js';
import type { CallbackDefinition } from '../http/define-callback.js';
import { paymentSchema } from '../payments/payment.schema.js';

export const paymentLinkCallback: CallbackDefinition = {
  name: 'paymentLinkPaid',
  summary: 'A payment of a link succeeded, or changed later',
  description:
    'Sent to `settings.callbackUrl` of the link, otherwise to `notificationUrl` of its merchant. Declines are not sent. There is no signature: read the payment before you act.',
  tags: ['Payment links'],
  body: named(
    'PaymentLinkCallback',
    body({
      paymentLinkId: Joi.string().guid().required(),
      externalId: Joi.string().required(),
      merchantId: Joi.number().integer().required(),
      payment: paymentSchema.required(),
    }),
  ),
};
