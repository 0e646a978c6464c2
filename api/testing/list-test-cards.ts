import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body, Joi } from '../../shared/contract/joi.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { testFigures } from './test-figures.js';

const word = () => Joi.string().required();
const outcome = { outcome: word(), isoCode: word(), declineCode: Joi.string().allow(null).required() };

export const listTestCardsEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/testing/cards',
  operationId: 'listTestCards',
  summary: 'Test cards and amounts',
  description:
    'The outcome of each test card and amount, in the testing environment only (`404` in production). Any future expiry ' +
    'and any cvc works; any other number with a valid check digit is approved. `isoCode` is the ' +
    'ISO 8583 response code, `declineCode` what a decline carries. The amounts work with saved tokens, wallets and links.',
  tags: ['Testing'],
  auth: 'none',
  merchantScope: 'none',
  responses: {
    200: body({
      cards: Joi.array()
        .items(
          body({
            number: word(),
            brand: word(),
            cardType: word(),
            cardOrigin: word(),
            ...outcome,
            description: word(),
          }),
        )
        .required(),
      amounts: Joi.array()
        .items(body({ amount: word(), ...outcome, description: word() }))
        .required(),
      qrAmounts: Joi.array()
        .items(body({ amount: word(), outcome: word(), description: word() }))
        .required(),
    }),
  },
  errors: ['not-found'],
  examples: {
    response: {
      200: {
        some: {
          cards: testFigures.cards.slice(0, 2),
          amounts: testFigures.amounts.slice(0, 1),
          qrAmounts: testFigures.qrAmounts.slice(0, 1),
        },
      },
    },
  },
  handle: (_context, { config }) => {
    if (config.environment !== 'testing') throw new GatewayError('not-found');
    return testFigures;
  },
});
