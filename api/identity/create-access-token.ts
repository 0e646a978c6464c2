import { limits } from '../../config/limits.js';
import type { GatewayError } from '../../shared/contract/gateway-error.js';
import { body, Joi } from '../../shared/contract/joi.js';
import { answer, defineEndpoint } from '../http/define-endpoint.js';

interface TokenRequest {
  readonly grant_type: string;
  readonly scope?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
}

/** Errors of RFC 6749, 5.2 that can happen here. */
const oauthErrors = ['invalid_request', 'invalid_client', 'unsupported_grant_type', 'invalid_scope'] as const;

const oauthError = (error: (typeof oauthErrors)[number], description: string) => ({
  error,
  error_description: description,
});

/** The parameters are bounded by the size of the form; unknown ones are ignored (RFC 6749, 3.2). */
const request = body<TokenRequest>({
  grant_type: Joi.string().required().description('`client_credentials`'),
  scope: Joi.string().description('Leave it out: a token always has all rights of its key.'),
  client_id: Joi.string().description('Ignored: HTTP Basic names the client.'),
  client_secret: Joi.string().description('Refused: send the API key with HTTP Basic.'),
}).unknown(true);

const problem = body({
  error: Joi.string()
    .valid(...oauthErrors)
    .required(),
  error_description: Joi.string().required(),
}).meta({ component: 'OAuthError' });

const token = body({
  access_token: Joi.string().required(),
  token_type: Joi.string().valid('Bearer').required(),
  expires_in: Joi.number().integer().required().description('Seconds.'),
}).meta({ component: 'AccessToken' });

const unknownClient = oauthError(
  'invalid_client',
  'Send HTTP Basic with your client id and an active API key of this environment.',
);
const refuse = (...problem: Parameters<typeof oauthError>) => answer(oauthError(...problem), { status: 400 });

/** Presents 400 and 401 as RFC 6749 defines them. Errors that OAuth does not define (429, 5xx and others) keep our own format. */
function presentError(error: GatewayError): unknown {
  if (error.status === 401) return unknownClient;
  if (error.status !== 400) return undefined;
  const problems = Object.entries(error.params ?? {}).flatMap(([field, texts]) =>
    texts.map((text) => (text.startsWith(`"${field}"`) ? text : `${field} ${text}`)),
  );
  // RFC 6749, 5.2 allows neither quotes nor backslashes in the description.
  return oauthError('invalid_request', (problems.join('; ') || error.publicMessage).replace(/["\\]/g, ''));
}

export const createAccessTokenEndpoint = defineEndpoint({
  method: 'post',
  path: '/oauth/token',
  operationId: 'createAccessToken',
  summary: 'Get a bearer token',
  description:
    'OAuth 2.0 client credentials (RFC 6749, 4.4): send the API key with HTTP Basic and get a token that is accepted wherever HTTP ' +
    'Basic is, with the rights of that key. It is valid for one hour, and no longer than its key.',
  tags: ['Identity'],
  auth: 'basic',
  keyOnly: true,
  merchantScope: 'none',
  bodyFormat: 'form',
  request: { body: request },
  statusOnSuccess: 200,
  responses: { 200: token, 400: problem, 401: problem },
  errors: [],
  examples: {
    request: { clientCredentials: { grant_type: 'client_credentials' } },
    response: {
      200: {
        issued: { access_token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl', token_type: 'Bearer', expires_in: 3600 },
      },
      400: { unsupported: oauthError('unsupported_grant_type', 'grant_type must be client_credentials.') },
      401: { unknown: unknownClient },
    },
  },
  presentError,
  async handle({ body: form, principal }, { accessTokens }) {
    if (form.grant_type !== 'client_credentials') {
      return refuse('unsupported_grant_type', 'grant_type must be client_credentials.');
    }
    if (form.client_secret !== undefined) {
      return refuse('invalid_request', 'Use one authentication method only: send the API key with HTTP Basic.');
    }
    if (form.scope !== undefined) {
      return refuse('invalid_scope', 'There are no scopes: a token has all the rights of its key.');
    }
    const { clientId, keyId } = principal;
    const access_token = await accessTokens.issue({ clientId, keyId });
    // RFC 6749, 5.1 requires Pragma in addition to the Cache-Control that every answer has.
    return answer(
      { access_token, token_type: 'Bearer', expires_in: limits.accessTokenSeconds },
      { headers: { Pragma: 'no-cache' } },
    );
  },
});
