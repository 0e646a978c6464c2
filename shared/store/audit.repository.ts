import { limits } from '../../config/limits.js';
import type { Clock } from '../clock.js';
import { newAuditId } from '../ids.js';
import { AUDIT, type AuditRow, auditSchema } from './audit.model.js';
import type { Database } from './database.js';
import { modelOn } from './model-on.js';

export type AuditEntry = Omit<AuditRow, '_id' | 'at'>;
export type AuditRecord = Omit<AuditRow, '_id'> & { readonly id: string };

/** What was done, for whoever has to find out later. Entries are added and read, never changed or removed. */
export interface AuditRepository {
  /** Durable when it returns. */
  append(entry: AuditEntry): Promise<void>;
  /** Newest first, at most `limits.auditListed`. */
  findOf(clientId: string): Promise<readonly AuditRecord[]>;
}

export function createAuditRepository(database: Database, clock: Clock): AuditRepository {
  const Model = modelOn<AuditRow>(database.connection, 'Audit', auditSchema);
  const rows = database.collection<AuditRow>(AUDIT);

  return {
    async append(entry) {
      await Model.create({ _id: newAuditId(), at: clock.now(), ...entry });
    },
    async findOf(clientId) {
      const found = await rows
        .find({ clientId }, { maxTimeMS: limits.mongoQueryMs })
        .sort({ at: -1 })
        .limit(limits.auditListed)
        .toArray();
      return found.map(({ _id, ...entry }) => ({ id: _id, ...entry }));
    },
  };
}
