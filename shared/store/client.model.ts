import { Schema } from 'mongoose';

/** An integrator. Merchants and API keys belong to it. */
export interface ClientRow {
  /** `cli_…` */
  readonly _id: string;
  readonly name: string;
  readonly createdAt: Date;
}

export interface ApiKeyRow {
  /** `key_…` */
  readonly _id: string;
  readonly clientId: string;
  /** base64url of HMAC-SHA-256(pepper, key). The key itself is stored nowhere. */
  readonly digest: string;
  /** The last four characters, to tell keys apart. */
  readonly last4: string;
  /** `primary`: all merchants of the client. `secondary`: those it was granted. */
  readonly kind: 'primary' | 'secondary';
  readonly merchantIds: readonly number[];
  /** First key of its line of rotations; absent when it is the key itself. */
  readonly rootKeyId?: string;
  readonly createdAt: Date;
  /** The key is not accepted from then on. So a rotated key overlaps with its successor. */
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
}

const CLIENTS = 'clients';
export const API_KEYS = 'apiKeys';

export const clientSchema = new Schema<ClientRow>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { strict: 'throw', versionKey: false, id: false, collection: CLIENTS },
);

export const apiKeySchema = new Schema<ApiKeyRow>(
  {
    _id: { type: String, required: true },
    clientId: { type: String, required: true },
    digest: { type: String, required: true },
    last4: { type: String, required: true },
    kind: { type: String, required: true, enum: ['primary', 'secondary'] },
    merchantIds: { type: [Number], required: true },
    rootKeyId: String,
    createdAt: { type: Date, required: true },
    expiresAt: Date,
    revokedAt: Date,
  },
  { strict: 'throw', versionKey: false, id: false, collection: API_KEYS },
);
apiKeySchema.index({ clientId: 1 });
apiKeySchema.index({ digest: 1 }, { unique: true });
