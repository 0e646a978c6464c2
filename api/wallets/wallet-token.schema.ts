/** Wallet tokens in requests (docs/api.md#payment-sources). */
import { limits } from '../../config/limits.js';
import { body, Joi, named, nullable, text, withErrorCode } from '../../shared/contract/joi.js';
import { cvcField } from '../payments/card.schema.js';

export interface WalletTokenBody {
  readonly token: string;
  readonly cardholder?: { readonly firstName?: string; readonly lastName?: string; readonly email?: string };
  readonly cvc?: string;
}

export const walletATokenText = () =>
  withErrorCode(
    'invalid-card-payment-method-token',
    Joi.string()
      .max(limits.walletTokenLengthMax)
      .pattern(/^e[w-z0-9+/][A-Za-z0-9+/]+={0,2}$/, 'base64 of a JSON object'),
  );

export const walletBTokenText = () =>
  withErrorCode(
    'INVALID_WALLET_B_PAY_TOKEN',
    Joi.string()
      .max(limits.walletTokenLengthMax)
      // Besides the encrypted part, the token names the card and perhaps its holder, in any script.
      .pattern(/^\s*\{[\t\n\r\x20-\uffff]*\}\s*$/, 'a JSON object as text'),
  );

const cardholder = () =>
  nullable(
    withErrorCode(
      'invalid-cardholder',
      body({
        firstName: nullable(text(limits.walletNameLengthMax)),
        lastName: nullable(text(limits.walletNameLengthMax)),
        email: nullable(Joi.string().max(limits.emailLengthMax).email({ tlds: false })),
      }),
    ),
  );

export const walletATokenSchema = named(
  'WalletAToken',
  body({
    token: walletATokenText().required().description('The wallet’s payload in base64.'),
    cardholder: cardholder(),
    cvc: nullable(cvcField()).description('For a PAN-only credential where 3DS does not apply.'),
  }),
);

export const walletBTokenSchema = named(
  'WalletBToken',
  body({
    token: walletBTokenText().required().description('The token JSON as text.'),
    cardholder: cardholder().description('`firstName`, `lastName` and `email` are required for wallet-b.'),
  }),
);
