/**
 * THE LIST of everything that is stored: each model with its schema and indexes. A new collection is one line here. Start-up creates what
 * is missing, and readiness checks that all of it is there.
 */
import type mongoose from 'mongoose';
import type { Connection, Model, Schema } from 'mongoose';
import type { Described } from '../domain/described.js';
import { auditSchema } from './audit.model.js';
import { binImportSchema } from './bin-import.repository.js';
import { binRangeSchema } from './bin-range.model.js';
import { findingSchema, positionSchema } from './book-finding.repository.js';
import { cardDeclineSchema } from './card-decline.model.js';
import { apiKeySchema, clientSchema } from './client.model.js';
import { customerSchema } from './customer.model.js';
import { dataKeySchema } from './data-key.model.js';
import type { Database } from './database.js';
import { deliverySchema } from './delivery.model.js';
import { installationSchema } from './environment.repository.js';
import { idempotencyRowSchema } from './idempotency.model.js';
import { isoExchangeSchema } from './iso8583-exchange.model.js';
import { isoStanSchema } from './iso8583-stan.repository.js';
import { keyReportSchema, processReportSchema } from './key-reports.repository.js';
import { counterSchema, merchantSchema } from './merchant.model.js';
import { merchantLogoSchema } from './merchant-logo.model.js';
import { modelOn } from './model-on.js';
import { pageAssetSchema } from './page-asset.repository.js';
import { paymentSchema, paymentShapes } from './payment.model.js';
import { paymentInstrumentSchema } from './payment-instrument.model.js';
import { linkSettingsSchema, paymentLinkSchema } from './payment-link.model.js';
import { paymentMethodSchema } from './payment-method.model.js';
import { processorCredentialsSchema } from './processor-credentials.repository.js';
import { processorUpdateSchema } from './processor-update.model.js';
import { referenceProbeSchema } from './reference-probe.repository.js';
import { sessionSchema } from './session.model.js';
import { walletIntegrationSchema } from './wallet-integration.model.js';
import { walletOpeningSchema } from './wallet-opening.model.js';
import { walletUseSchema } from './wallet-use.model.js';

interface StoredModel {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a list of schemas of different documents has no narrower type.
  readonly schema: Schema<any>;
  /** `ephemeral`: in the database that backups leave out. */
  readonly database: 'main' | 'ephemeral';
  /** Possible shapes of its documents; each document has one of them. */
  readonly shapes?: readonly Described<unknown>[];
}

// biome-ignore lint/suspicious/noExplicitAny: models of different documents have no narrower type.
type AnyModel = Model<any>;

export const storedModels: readonly StoredModel[] = [
  { name: 'Installation', schema: installationSchema, database: 'main' },
  { name: 'Client', schema: clientSchema, database: 'main' },
  { name: 'ApiKey', schema: apiKeySchema, database: 'main' },
  { name: 'Merchant', schema: merchantSchema, database: 'main' },
  { name: 'Counter', schema: counterSchema, database: 'main' },
  { name: 'PaymentMethod', schema: paymentMethodSchema, database: 'main' },
  { name: 'MerchantLogo', schema: merchantLogoSchema, database: 'main' },
  { name: 'PageAsset', schema: pageAssetSchema, database: 'main' },
  { name: 'ProcessorCredentials', schema: processorCredentialsSchema, database: 'main' },
  { name: 'ProcessorUpdate', schema: processorUpdateSchema, database: 'main' },
  { name: 'WalletIntegration', schema: walletIntegrationSchema, database: 'main' },
  { name: 'WalletOpening', schema: walletOpeningSchema, database: 'main' },
  { name: 'WalletUse', schema: walletUseSchema, database: 'main' },
  { name: 'Audit', schema: auditSchema, database: 'main' },
  { name: 'Payment', schema: paymentSchema, database: 'main', shapes: paymentShapes },
  { name: 'BookFinding', schema: findingSchema, database: 'main' },
  { name: 'BookPosition', schema: positionSchema, database: 'main' },
  { name: 'BinImport', schema: binImportSchema, database: 'main' },
  { name: 'BinRange', schema: binRangeSchema, database: 'main' },
  { name: 'CardDecline', schema: cardDeclineSchema, database: 'main' },
  { name: 'PaymentInstrument', schema: paymentInstrumentSchema, database: 'main' },
  { name: 'Delivery', schema: deliverySchema, database: 'main' },
  { name: 'Session', schema: sessionSchema, database: 'main' },
  { name: 'PaymentLink', schema: paymentLinkSchema, database: 'main' },
  { name: 'PaymentLinkSettings', schema: linkSettingsSchema, database: 'main' },
  { name: 'Customer', schema: customerSchema, database: 'main' },
  { name: 'IdempotencyRow', schema: idempotencyRowSchema, database: 'main' },
  { name: 'ReferenceProbe', schema: referenceProbeSchema, database: 'main' },
  { name: 'CardDataKey', schema: dataKeySchema, database: 'main' },
  { name: 'KeyReport', schema: keyReportSchema, database: 'main' },
  { name: 'ProcessReport', schema: processReportSchema, database: 'main' },
  { name: 'IsoExchange', schema: isoExchangeSchema, database: 'main' },
  { name: 'IsoStan', schema: isoStanSchema, database: 'main' },
  { name: 'CvcDataKey', schema: dataKeySchema, database: 'ephemeral' },
];

function modelsOf({ connection }: Database) {
  const connections: Record<StoredModel['database'], Connection> = {
    main: connection,
    ephemeral: connection.useDb(`${connection.name}_ephemeral`, { useCache: true }),
  };
  return storedModels.map(({ name, schema, database }) => modelOn(connections[database], name, schema));
}

const isNamespaceNotFound = (error: unknown) => (error as { code?: unknown } | null)?.code === 26;

type NewIndex = mongoose.mongo.IndexDescription;

/** Returns the indexes of the schema that are not stored. @throws when MongoDB does not answer. */
async function missingOf(model: AnyModel): Promise<readonly NewIndex[]> {
  const { toCreate } = await model.diffIndexes({ indexOptionsToCreate: true });
  return toCreate.map(([key, options]) => ({ key, ...options }));
}

/**
 * Creates indexes with one command: MongoDB reads the documents once for all of them, and a new collection begins with its indexes. A
 * collection without indexes is created all the same.
 */
async function makeIndexes(model: AnyModel, indexes: readonly NewIndex[]): Promise<void> {
  if (indexes.length > 0) await model.collection.createIndexes([...indexes]);
  else await model.createCollection();
}

/** Creates a collection and its indexes when they are missing. */
export const createIndexes = async (model: AnyModel): Promise<void> => makeIndexes(model, await missingOf(model));

const missingIn = (database: Database) =>
  Promise.all(modelsOf(database).map(async (model) => ({ model, indexes: await missingOf(model) })));

/**
 * Creates the collections and indexes that are missing; several processes may do so at once. Never drops one. Looks first, because most
 * starts find all of them: looking is one command per collection, all at the same time. Creating is one command per collection, one after
 * another, because several index builds at once would slow down what runs.
 */
export async function ensureIndexes(database: Database): Promise<void> {
  const missing = await missingIn(database);
  if (missing.every(({ indexes }) => indexes.length === 0)) return;
  for (const { model, indexes } of missing) await makeIndexes(model, indexes);
}

/** Counts the indexes of the schema that MongoDB is still building. Lists show them like finished ones unless builds are asked for. */
async function countBuilding(model: AnyModel): Promise<number> {
  const wanted = new Set(model.schema.indexes().map(([key]) => JSON.stringify(key)));
  const listed = await model.db.db
    ?.command({ listIndexes: model.collection.name, includeBuildUUIDs: true })
    .catch((error: unknown) => (isNamespaceNotFound(error) ? undefined : Promise.reject(error)));
  const indexes: readonly mongoose.mongo.Document[] = listed?.['cursor'].firstBatch ?? [];
  return indexes.filter(({ buildUUID, spec }) => buildUUID && wanted.has(JSON.stringify(spec.key))).length;
}

/** Counts the indexes of the list that are missing or not built yet. @throws when MongoDB does not answer. */
export async function countMissingIndexes(database: Database): Promise<number> {
  const [missing, building] = await Promise.all([
    missingIn(database),
    Promise.all(modelsOf(database).map(countBuilding)),
  ]);
  return missing.reduce((sum, { indexes }) => sum + indexes.length, 0) + building.reduce((sum, one) => sum + one, 0);
}

/** Whether every index of the list is there. @throws when MongoDB does not answer. */
export const indexesReady = async (database: Database): Promise<boolean> => (await countMissingIndexes(database)) === 0;
