/** Wallet integrations on the wire (docs/api.md#wallets). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { body, fieldErrors, Joi, named, nullable, text } from '../../shared/contract/joi.js';
import {
  type WalletAuthMethod,
  type WalletMode,
  walletAuthMethods,
  walletModes,
  walletProfileModes,
  type walletTypes,
} from '../../shared/domain/wallet/integration.js';
import { orNull } from '../http/answer-fields.js';

export interface ProfileBody {
  readonly profileMode: 'service' | 'merchant';
  readonly walletMerchantId?: string;
  readonly walletMerchantName?: string;
  readonly walletMerchantOrigin?: string;
  readonly allowedAuthMethods?: readonly WalletAuthMethod[];
  readonly allowedOrigins: readonly string[];
}

/** Has the names of the sent fields, so that a refusal after validation names the fields as the caller sent them. */
export interface EnableWalletABody {
  readonly tosAccepted: true;
  /** `mode` and `walletAPayProfile` are both set or both absent; absent means the previous configuration. */
  readonly mode?: WalletMode;
  readonly walletAPayProfile?: ProfileBody;
}

/** In any case. Without a flag, which the published pattern would lose. */
const HOST_NAME =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
/** Lower case and nothing after the host and port, as browsers write it. */
const ORIGIN = /^https?:\/\/[a-z0-9.-]{1,253}(?::\d{1,5})?$/;

const DEFAULT_MODE = 'both' satisfies WalletMode;
const mode = () =>
  nullable(Joi.string().valid(...walletModes)).description(
    'Default `both`, or the previous mode when the wallet is enabled again.',
  );

const readOnly = () => Joi.any().strip().description('Read-only: taken from a GET and ignored.');
/** Fields that a GET returns but that cannot be set. */
const readOnlyFields = () => ({
  walletType: readOnly(),
  enabled: readOnly(),
  status: readOnly(),
  errorMessage: readOnly(),
  configuredAt: readOnly(),
  lastUpdatedAt: readOnly(),
});

const profileFields = {
  profileMode: nullable(Joi.string())
    .valid(...walletProfileModes)
    .default(() => 'service' as const)
    .description('Default `service`.'),
  walletMerchantId: nullable(text(limits.walletNameLengthMax)).description(
    'Required for `merchant`, ignored for `service`.',
  ),
  walletMerchantName: nullable(text(limits.walletNameLengthMax)).description(
    'Required for `service` with mode `api` or `both`.',
  ),
  walletMerchantOrigin: nullable(Joi.string().pattern(HOST_NAME, 'a host name without protocol')),
  allowedAuthMethods: nullable(
    Joi.array()
      .items(Joi.string().valid(...walletAuthMethods))
      .unique()
      .min(1),
  ).description('Default: in testing both, in production CRYPTOGRAM_3DS.'),
  allowedOrigins: nullable(Joi.array())
    .items(Joi.string().max(limits.urlLengthMax).pattern(ORIGIN, 'an origin with scheme: https://shop.example'))
    .max(limits.walletOriginsMax)
    .default(() => [])
    .description('Full origins with scheme. Required for `service` with mode `api` or `both`, ignored for `merchant`.'),
  tosAcceptedAt: readOnly(),
  tosVersion: readOnly(),
};

const code = 'request-validation-errors' as const;
const at = (field: string, reason: string) => ({ field: `walletAPayProfile.${field}`, reason, code });

const profileProblem = (mode: WalletMode, profile: Partial<ProfileBody>) => {
  if (profile.profileMode === 'merchant') {
    return profile.walletMerchantId === undefined
      ? [at('walletMerchantId', 'is required for profile mode merchant')]
      : [];
  }
  if (mode === 'hosted') return [];
  const why = `is required for profile mode service and mode ${mode}`;
  return [
    ...(profile.walletMerchantName === undefined ? [at('walletMerchantName', why)] : []),
    ...(profile.allowedOrigins?.length ? [] : [at('allowedOrigins', why)]),
  ];
};

/** Returns the missing fields when only the acceptance of the terms was sent, and there is no previous configuration. */
export const missingProfile = (): Record<string, string[]> =>
  Object.fromEntries(profileProblem(DEFAULT_MODE, {}).map(({ field, reason }) => [field, [`"${field}" ${reason}`]]));

/** Checks the required fields, which depend on mode and profile mode, and drops fields of the other profile mode. */
function checkProfile(sent: EnableWalletABody, helpers: CustomHelpers): unknown {
  const { tosAccepted } = sent;
  if (sent.mode === undefined && sent.walletAPayProfile === undefined) return { tosAccepted };
  const { mode: wanted = DEFAULT_MODE, walletAPayProfile = { profileMode: 'service', allowedOrigins: [] } } = sent;
  const problems = profileProblem(wanted, walletAPayProfile);
  if (problems.length > 0) return fieldErrors(helpers, problems);
  const { walletMerchantId, allowedOrigins, ...profile } = walletAPayProfile;
  const own =
    profile.profileMode === 'merchant'
      ? { ...profile, walletMerchantId, allowedOrigins: [] }
      : { ...profile, allowedOrigins };
  return { tosAccepted, mode: wanted, walletAPayProfile: own };
}

export const enableWalletASchema = named(
  'EnableWalletAPay',
  body<EnableWalletABody>(
    {
      mode: mode(),
      tosAccepted: Joi.boolean().strict().valid(true).required().description('The terms of the wallet are accepted.'),
      walletAPayProfile: nullable(Joi.object(profileFields)).description(
        'Left out together with `mode`: the previous configuration is enabled again.',
      ),
    },
    readOnlyFields(),
  ).custom(checkProfile),
);

export interface EnableWalletBBody {
  readonly mode?: WalletMode;
  readonly certificateType?: 'self-managed';
}

export const enableWalletBSchema = named(
  'EnableWalletBPay',
  body<EnableWalletBBody>(
    {
      mode: mode(),
      certificateType: nullable(Joi.string().valid('self-managed')).description(
        'Default `self-managed`; `service-managed` is not yet available.',
      ),
    },
    { certificate: readOnly(), ...readOnlyFields() },
  ),
);

export interface CertificateUploadBody {
  readonly certificate: string;
  readonly privateKey: string;
  readonly merchantIdentifier: string;
}

/** PEM has line ends, so the rules for plain text do not apply; its content is checked when it is read. */
const PEM = /^\s*-----BEGIN [A-Z ]+-----[A-Za-z0-9+/=\s]+-----END [A-Z ]+-----\s*$/;
const pem = () => Joi.string().max(limits.pemLengthMax).pattern(PEM, 'one block of PEM').required();

export const certificateUploadSchema = named(
  'WalletBCertificateUpload',
  body<CertificateUploadBody>({
    certificate: pem().description('Payment processing certificate, PEM.'),
    privateKey: pem().description('Its private key: EC P-256, PKCS#8 in PEM, not encrypted.'),
    merchantIdentifier: text(limits.walletNameLengthMax).required(),
  }),
);

const moment = () => orNull(Joi.dateTime());
const nullText = () => orNull(Joi.string());

const profileSchema = named(
  'WalletAPayProfile',
  body({
    profileMode: Joi.string()
      .valid(...walletProfileModes)
      .required(),
    walletMerchantId: nullText(),
    walletMerchantName: nullText(),
    walletMerchantOrigin: nullText(),
    allowedAuthMethods: Joi.array()
      .items(Joi.string().valid(...walletAuthMethods))
      .required(),
    allowedOrigins: Joi.array().items(Joi.string()).required(),
    tosAcceptedAt: moment(),
    tosVersion: nullText(),
  }),
);

export const certificateSchema = named(
  'WalletBCertificate',
  body({
    type: Joi.string().valid('self-managed', 'service-managed').required(),
    status: Joi.string().valid('pending', 'active', 'expired', 'error').required(),
    merchantIdentifier: nullText(),
    expiresAt: moment(),
    uploadedAt: moment(),
    errorMessage: Joi.string(),
  }),
);

export const uploadedCertificateSchema = named(
  'WalletBUploadedCertificate',
  body({
    status: Joi.string().valid('active').required(),
    merchantIdentifier: Joi.string().required(),
    expiresAt: Joi.dateTime().required(),
    uploadedAt: Joi.dateTime().required(),
  }),
);

const integrationFields = (walletType: (typeof walletTypes)[number]) => ({
  walletType: Joi.string().valid(walletType).required(),
  enabled: Joi.boolean().required(),
  mode: Joi.string()
    .valid(...walletModes)
    .allow(null)
    .required(),
  status: Joi.string().valid('active', 'pending', 'error', 'not_configured').required(),
  errorMessage: Joi.string(),
  configuredAt: moment(),
  lastUpdatedAt: moment(),
});

export const walletASchema = named(
  'WalletAPayIntegration',
  body({ ...integrationFields('wallet-a-pay'), walletAPayProfile: profileSchema.allow(null).required() }),
);
export const walletBSchema = named(
  'WalletBPayIntegration',
  body({ ...integrationFields('wallet-b-pay'), certificate: certificateSchema.required() }),
);
export const walletIntegrationsSchema = named(
  'WalletIntegrations',
  body({ walletAPay: walletASchema.allow(null).required(), walletBPay: walletBSchema.allow(null).required() }),
);
