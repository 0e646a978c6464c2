import { errorTypes } from '../../shared/contract/error-catalogue.js';
import { body, Joi, named } from '../../shared/contract/joi.js';
import { paymentStatuses } from '../../shared/domain/payment/statuses.js';
import { instrumentTokenSchema } from '../customers/tokenization.schema.js';
import type { CallbackDefinition } from '../http/define-callback.js';

const verification = body({
  paymentId: Joi.string().required(),
  status: Joi.string()
    .valid(...paymentStatuses)
    .required(),
});

const refusal = named(
  'TokenizationRefusal',
  body({
    code: Joi.string().required(),
    message: Joi.string().required(),
    type: Joi.string()
      .valid(...errorTypes)
      .required(),
    status: Joi.number().integer().required(),
    traceId: Joi.string().required(),
    params: Joi.object().pattern(Joi.string(), Joi.array().items(Joi.string())),
    declineCode: Joi.string(),
  }),
);

export const tokenizationCallback: CallbackDefinition = {
  name: 'tokenizationEnded',
  summary: 'A tokenization session ended',
  description:
    'Sent to `settings.callbacks.tokenizationCallbackUrl` of the session. There is no signature: read the cards of the customer before you act.',
  tags: ['Sessions'],
  body: named(
    'TokenizationCallback',
    body({
      id: Joi.string().required().description('The value of `Gateway-Event-Id`.'),
      type: Joi.string().valid('tokenization').required(),
      sessionId: Joi.string().required(),
      referenceId: Joi.string().required(),
      merchantId: Joi.number().integer().required(),
      customerId: Joi.string().allow(null).required(),
      status: Joi.string()
        .valid('completed', 'failed', 'cancelled', 'expired')
        .required()
        .description('`failed`: the last verification that was allowed was refused.'),
      paymentInstrument: instrumentTokenSchema.allow(null).required().description('Null if no card was saved.'),
      verification: verification
        .allow(null)
        .required()
        .description('The payment that verified the card; null without `verifyFunds`.'),
      error: refusal.allow(null).required().description('Of `failed`: why the last verification was refused.'),
      occurredAt: Joi.string().isoDate().required(),
    }),
  ),
};
