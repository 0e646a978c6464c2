/** `POST /v1/tokenizations` (docs/api.md#tokenization). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { issuerSchema } from '../../shared/contract/issuer.js';
import { body, fieldError, Joi, named, nullable, text } from '../../shared/contract/joi.js';
import type { WalletSource } from '../../shared/domain/wallet/integration.js';
import { cvcField } from '../payments/card.schema.js';
import { walletATokenText, walletBTokenText } from '../wallets/wallet-token.schema.js';

interface NamedWalletToken {
  readonly token: string;
  readonly cardholder?: { readonly name?: string };
  readonly cvc?: string;
}

export interface TokenizationBody {
  readonly merchantId: number;
  readonly customerId?: string;
  readonly type: 'temporal' | 'store';
  readonly paymentMethod: {
    readonly source: WalletSource;
    readonly walletAPayToken?: NamedWalletToken;
    readonly walletBPayToken?: NamedWalletToken;
  };
}

const members = { 'wallet-a-pay-token': 'walletAPayToken', 'wallet-b-pay-token': 'walletBPayToken' } as const;

const cardholder = () => nullable(body({ name: nullable(text(limits.walletNameLengthMax)) }));

function checkMember(method: TokenizationBody['paymentMethod'], helpers: CustomHelpers): unknown {
  const [own, other] =
    method.source === 'wallet-a-pay-token'
      ? (['walletAPayToken', 'walletBPayToken'] as const)
      : (['walletBPayToken', 'walletAPayToken'] as const);
  const code = 'request-validation-errors';
  if (method[own] === undefined) return fieldError(helpers, own, `is required when source is ${method.source}`, code);
  if (method[other] !== undefined) return fieldError(helpers, other, 'is only allowed with the other source', code);
  return method;
}

export const tokenizationSchema = named(
  'TokenizationRequest',
  body<TokenizationBody>({
    merchantId: Joi.int32().min(1).required().description('Must belong to the client.'),
    customerId: nullable(text(limits.referenceLengthMax)).description('The card appears in the list of this customer.'),
    type: Joi.string().valid('temporal', 'store').required(),
    paymentMethod: named(
      'TokenizedWallet',
      body({
        source: Joi.string()
          .valid(...Object.keys(members))
          .required()
          .description('Wallets only: cards are tokenized through sessions or with a payment.'),
        walletAPayToken: nullable(
          named(
            'WalletATokenToSave',
            body({
              token: walletATokenText().required(),
              cardholder: cardholder(),
              cvc: nullable(cvcField()).description('Not kept: send it with the payment.'),
            }),
          ),
        ),
        walletBPayToken: nullable(
          named('WalletBTokenToSave', body({ token: walletBTokenText().required(), cardholder: cardholder() })),
        ),
      }).custom(checkMember, 'member'),
    ).required(),
  }),
);

const nullText = () => Joi.string().allow(null).required();

export const instrumentTokenSchema = named(
  'PaymentInstrumentToken',
  body({
    token: Joi.string().guid().required(),
    paymentMethodId: Joi.string().required(),
    paymentMethodType: Joi.string().valid('card').required(),
    tokenizationType: Joi.string().valid('persistent', 'temporal').required(),
    status: Joi.string().valid('active', 'expired').required(),
    source: nullText(),
    bin: Joi.string().required(),
    last4: Joi.string().required(),
    expMonth: Joi.number().integer().required(),
    expYear: Joi.number().integer().required(),
    cardName: Joi.string().required(),
    cardholderName: nullText(),
    cardType: Joi.string().valid('credit', 'debit', 'prepaid').allow(null).required(),
    cardOrigin: Joi.string().valid('uruguay', 'international').allow(null).required(),
    issuer: issuerSchema(),
    createdAt: Joi.dateTime().required(),
    expiresAt: Joi.dateTime().allow(null).required(),
  }),
);
