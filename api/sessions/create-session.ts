import { answer, defineEndpoint } from '../http/define-endpoint.js';
import { sessionSchema } from './session.schema.js';
import { checkoutRequest, checkoutSession, tokenizationRequest, tokenizationSession } from './session-examples.js';
import { type SessionBody, sessionRequestSchema } from './session-request.schema.js';

export const createSessionEndpoint = defineEndpoint<unknown, unknown, SessionBody>({
  method: 'post',
  path: '/v1/sessions',
  operationId: 'createSession',
  summary: 'Create a checkout or tokenization session',
  description:
    'Send the payer to the `href` of an action: card data never touches your servers. A checkout reserves the reference of ' +
    'its payment; each attempt of the payer is a separate payment with that reference, and a decline leaves the session open for another attempt. The result is sent by callback. Callbacks are not signed: read the payment before you act. Never rely on ' +
    'the redirect.',
  tags: ['Sessions'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  idempotent: true,
  answersSecret: true,
  request: { body: sessionRequestSchema },
  responses: { 200: sessionSchema },
  errors: [
    'payment-invalid-amount',
    'payment-invalid-invoice-number',
    'currency-not-found',
    'invalid-browser-details',
    'invalid-cardholder',
    'invalid-card-payment-method-token',
    'duplicated-reference-id',
  ],
  examples: {
    request: { checkout: checkoutRequest, tokenization: tokenizationRequest },
    response: { 200: { checkout: checkoutSession, tokenization: tokenizationSession } },
  },
  async handle(context, { usecases }) {
    const session = usecases.presentSession(await usecases.createSession(context.body, context));
    return context.idempotency?.resumed ? answer(session, { headers: { 'Idempotent-Replayed': 'true' } }) : session;
  },
});
