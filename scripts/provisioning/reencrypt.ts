/**
 * Seals stored cards and private keys again, with the data keys of this hour, and destroys the data keys that nothing needs any more
 * (docs/security.md#keys-in-use). A run may be cut off anywhere and repeated. Records may be paid with and destroyed while it runs.
 */
import type { Clock } from '../../shared/clock.js';
import type { Envelope } from '../../shared/domain/payment/payment.js';
import type { DataKeyRepository } from '../../shared/store/data-key.repository.js';
import {
  type SealedPlace,
  type SealedRecord,
  type SealedRecordRepository,
  sealedPlaces,
} from '../../shared/store/sealed-record.repository.js';
import { isOfEarlierEpoch, mayBeRetired } from '../../shared/vault/data-keys.js';
import type { Vault } from '../../shared/vault/vault.js';
import { VaultError } from '../../shared/vault/vault-error.js';

interface Deps {
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  readonly records: SealedRecordRepository;
  readonly dataKeys: Pick<DataKeyRepository, 'list' | 'markUnused' | 'deleteUnused'>;
  readonly clock: Clock;
  /** Only counts, and changes nothing. */
  readonly dryRun: boolean;
  /** Called after each batch, and for each envelope that does not open. The text has ids only. */
  progress(text: string): void;
}

export interface ReencryptionCounts {
  readonly sealedAgain: number;
  /** Records that were destroyed, or sealed by another run, between reading and writing. */
  readonly changedMeanwhile: number;
  /** Records that do not open. They and their keys stay as they are. */
  readonly unopened: number;
  /** Collection and id of each record that does not open. */
  readonly unopenedRecords: readonly string[];
  readonly keysRetired: number;
  /** Data keys that nothing needs, but not for long enough yet. */
  readonly keysUnused: number;
}

/** Whether a record was sealed with an earlier data key, or is an envelope of an earlier release, which names no owner. */
const isOutdated = ({ envelope, binding }: SealedRecord, now: Date) =>
  isOfEarlierEpoch(envelope.kid, now) || (binding.owner !== undefined && envelope.v === 1);

/** Undefined when the envelope does not open: it was changed or belongs elsewhere, or its data key or the master key of that is gone. */
async function sealAgain({ vault, progress }: Deps, place: SealedPlace, record: SealedRecord) {
  let plaintext: Buffer;
  try {
    plaintext = await vault.open(record.envelope, record.binding);
  } catch (error) {
    if (!(error instanceof VaultError) || error.code === 'keys-unavailable') throw error;
    progress(`${place.collection} ${record.id}: left as it is. ${error.message}`);
    return undefined;
  }
  const envelope = await vault.seal(place.kind, plaintext, record.binding);
  plaintext.fill(0);
  return { before: record, envelope };
}

const isDefined = <T>(value: T | undefined): value is T => value !== undefined;

async function reencryptPlace(deps: Deps, place: SealedPlace) {
  const counts = { sealedAgain: 0, changedMeanwhile: 0, unopened: 0 };
  const unopenedRecords: string[] = [];
  let read = 0;
  for await (const batch of deps.records.batches(place)) {
    const behind = batch.filter((record) => isOutdated(record, deps.clock.now()));
    read += batch.length;
    if (deps.dryRun) {
      counts.sealedAgain += behind.length;
    } else {
      const sealed = await Promise.all(behind.map((record) => sealAgain(deps, place, record)));
      const changes: { before: SealedRecord; envelope: Envelope }[] = sealed.filter(isDefined);
      const left = behind.filter((_, at) => sealed[at] === undefined);
      unopenedRecords.push(...left.map(({ id }) => `${place.collection} ${id}`));
      const changed = await deps.records.replace(place, changes);
      counts.sealedAgain += changed;
      counts.changedMeanwhile += changes.length - changed;
      counts.unopened += left.length;
    }
    deps.progress(
      `${place.collection}: ${read} read, ${counts.sealedAgain} ${deps.dryRun ? 'to seal' : 'sealed'} again`,
    );
  }
  return { counts, unopenedRecords };
}

/**
 * Marks keys that no envelope needs. A later run destroys a key `limits.dataKeyUnusedMs` after its mark: until then a process may
 * still hold a record as it read it, and a backup may have begun before the record was sealed again.
 */
async function retireKeys({ dataKeys, records, clock, dryRun }: Deps) {
  const now = clock.now();
  const needed = await records.dataKeyIds();
  const kinds = [...new Set(sealedPlaces.map(({ kind }) => kind))];
  const rows = (await Promise.all(kinds.map((kind) => dataKeys.list('main', kind)))).flat();
  const earlier = rows.filter(({ _id }) => isOfEarlierEpoch(_id, now));
  const unused = earlier.filter(({ _id }) => !needed.has(_id));
  const due = unused.filter((row) => mayBeRetired(row, now));
  const counts = { keysRetired: due.length, keysUnused: unused.length - due.length };
  if (dryRun) return counts;
  for (const row of due) await dataKeys.deleteUnused('main', row);
  for (const row of unused) if (!row.unusedSince) await dataKeys.markUnused('main', row, now);
  const neededAgain = earlier.filter(({ _id, unusedSince }) => unusedSince && needed.has(_id));
  for (const row of neededAgain) await dataKeys.markUnused('main', row, undefined);
  return counts;
}

/**
 * Seals outdated records again, place by place, then retires data keys.
 * @throws {VaultError} `keys-unavailable`, or `master-key-missing` when nothing can be sealed. What was sealed so far stays; run it again.
 */
export async function reencrypt(deps: Deps): Promise<ReencryptionCounts> {
  const total = { sealedAgain: 0, changedMeanwhile: 0, unopened: 0 };
  const unopenedRecords: string[] = [];
  for (const place of sealedPlaces) {
    const { counts, unopenedRecords: left } = await reencryptPlace(deps, place);
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name];
    unopenedRecords.push(...left);
  }
  return { ...total, unopenedRecords, ...(await retireKeys(deps)) };
}
