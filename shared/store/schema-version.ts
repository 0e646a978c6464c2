/**
 * The schema version of a document. The number of a collection grows when an earlier release could not work on its documents any more; a
 * field that an earlier release may ignore changes nothing. A document without a number has version 1.
 *
 * A process leaves documents of a newer release to a process of that release: sweeps and claims do not find them, and no write replaces
 * them (docs/reliability.md, "Two releases at once").
 */
import type { Schema } from 'mongoose';

/** Versions of the collections whose documents processes find and change by themselves. */
export const schemaVersions = {
  payments: 1,
  deliveries: 1,
  sessions: 1,
  payment_links: 1,
  processor_updates: 1,
  wallet_openings: 1,
} as const;

export type VersionedCollection = keyof typeof schemaVersions;

export interface Versioned {
  readonly schemaVersion?: number;
}

/** Returns the version that this release writes into a new document. */
export const written = (collection: VersionedCollection) => ({ schemaVersion: schemaVersions[collection] });

/** Condition of documents that a newer release wrote. */
export const isNewerVersion = (collection: VersionedCollection) => ({
  schemaVersion: { $gt: schemaVersions[collection] },
});

/** Condition of documents that this release can work on. */
export const isKnownVersion = (collection: VersionedCollection) => ({
  schemaVersion: { $not: { $gt: schemaVersions[collection] } },
});

/** The document is left to a process of the release that wrote it. */
export class NewerDocumentError extends Error {
  constructor(collection: VersionedCollection, id: string) {
    super(`${id} of ${collection} was written by a newer release`);
    this.name = 'NewerDocumentError';
  }
}

/** @throws {NewerDocumentError} when a newer release wrote the document. */
export function refuseNewer(collection: VersionedCollection, document: Versioned & { readonly _id: string }): void {
  if ((document.schemaVersion ?? 1) > schemaVersions[collection])
    throw new NewerDocumentError(collection, document._id);
}

/** Adds the index for counting newer documents. It is empty while one release runs alone, so that counting costs nothing. */
// biome-ignore lint/suspicious/noExplicitAny: schemas of different documents have no narrower type.
export function indexNewer(schema: Schema<any>): void {
  schema.index({ schemaVersion: 1 }, { partialFilterExpression: { schemaVersion: { $gt: 1 } } });
}
