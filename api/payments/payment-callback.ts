import type { CallbackDefinition } from '../http/define-callback.js';
import { paymentSchema } from './payment.schema.js';

export const paymentCallback: CallbackDefinition = {
  name: 'paymentChanged',
  summary: 'A payment changed',
  description:
    'Sent to `callbackUrl` of the payment, or to `settings.callbacks.paymentCallbackUrl` of its checkout session, at each change that you did not get in a response. The body is the payment at that time. There is no signature: read the payment before you act.',
  tags: ['Payments'],
  body: paymentSchema,
};
