import { GatewayError } from '../../shared/contract/gateway-error.js';
import { isPresentable } from '../../shared/domain/payment/plan-transfer.js';
import { isGranted, type Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { codeImage, codeValue } from '../payments/payment-examples.js';
import { codeQuerySchema, codeSchema } from './code.schema.js';

interface CodeQuery {
  /** Id of the payment method. */
  readonly paymentMethod: string;
  readonly value: string;
}

interface ShownCode {
  readonly value: string;
  /** PNG. */
  readonly base64Image: string;
  readonly expiresAt: Date;
}

/**
 * Reads a QR code that can still be paid.
 * @throws {GatewayError} `code-not-found`, the same for an unknown code, another client's and a merchant not granted;
 * `conflict` when it was paid or has expired.
 */
async function readCode(
  deps: Pick<ApiDeps, 'payments' | 'clock'>,
  { paymentMethod, value }: CodeQuery,
  principal: Principal,
): Promise<ShownCode> {
  const payment = await deps.payments.findByCode(principal.clientId, value);
  const granted = payment && isGranted(principal, payment.merchantId);
  if (!granted || payment.paymentMethod.id !== paymentMethod) throw new GatewayError('code-not-found');
  const { code, expiresAt } = payment;
  if (!isPresentable(payment, deps.clock.now()) || code?.base64Image === undefined || !expiresAt) {
    throw new GatewayError('conflict', {
      message: 'The code can no longer be paid: it is already paid or has expired.',
    });
  }
  return { value, base64Image: code.base64Image, expiresAt };
}

export const getCodeEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/codes',
  operationId: 'getCode',
  summary: 'Create the QR image of a code again',
  description:
    'For a code of one of your payments that can still be paid. A paid or expired code answers 409: create a new payment ' +
    'with a new `referenceId`.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { query: codeQuerySchema },
  responses: { 200: codeSchema },
  errors: ['code-not-found', 'conflict'],
  examples: {
    query: { paymentMethod: 'instant-transfer', value: codeValue },
    response: {
      200: {
        code: {
          type: 'qrcode',
          value: codeValue,
          base64Image: codeImage,
          expiresAt: '2026-11-21T12:15:00.000Z',
        },
      },
    },
  },
  async handle({ query, principal }, deps) {
    const { value, base64Image, expiresAt } = await readCode(deps, query, principal);
    return { type: 'qrcode', value, base64Image, expiresAt: expiresAt.toISOString() };
  },
});
