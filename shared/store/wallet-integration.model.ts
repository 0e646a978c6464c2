import { Schema } from 'mongoose';
import { type WalletIntegration, walletModes, walletTypes } from '../domain/wallet/integration.js';

/** One per merchant and wallet. */
export type WalletIntegrationRow = WalletIntegration & {
  /** `<merchantId>:<walletType>` */
  readonly _id: string;
  /** End of the newest certificate, by which the sweep finds it. */
  readonly certificateEndsAt?: Date;
};

export const WALLET_INTEGRATIONS = 'wallet_integrations';

const plain = { _id: false, versionKey: false, strict: 'throw' } as const;
const envelope = new Schema(
  { v: Number, alg: String, kid: String, iv: Schema.Types.Buffer, ct: Schema.Types.Buffer },
  plain,
);

export const walletIntegrationSchema = new Schema<WalletIntegrationRow>(
  {
    _id: { type: String, required: true },
    merchantId: { type: Number, required: true },
    walletType: { type: String, required: true, enum: walletTypes },
    enabled: { type: Boolean, required: true },
    mode: { type: String, required: true, enum: walletModes },
    configuredAt: { type: Date, required: true },
    lastUpdatedAt: { type: Date, required: true },
    profile: new Schema(
      {
        profileMode: String,
        walletMerchantId: String,
        walletMerchantName: String,
        walletMerchantOrigin: String,
        allowedAuthMethods: [String],
        allowedOrigins: [String],
        tosAcceptedAt: Date,
        tosVersion: String,
      },
      plain,
    ),
    certificates: {
      type: [
        new Schema(
          {
            publicKeyHash: String,
            publicKey: String,
            merchantIdentifier: String,
            expiresAt: Date,
            uploadedAt: Date,
            privateKey: envelope,
          },
          plain,
        ),
      ],
      default: undefined,
    },
    certificateEndsAt: Date,
    warnedAt: Date,
  },
  { versionKey: false, strict: 'throw', collection: WALLET_INTEGRATIONS, autoIndex: false, autoCreate: false },
);
// The sweep that warns before a certificate ends.
walletIntegrationSchema.index(
  { certificateEndsAt: 1 },
  { partialFilterExpression: { certificateEndsAt: { $exists: true } } },
);
