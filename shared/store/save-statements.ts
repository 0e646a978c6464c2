/**
 * Turns the saves of one batch into statements. Changes of many payments at the same version become one update, which chooses each
 * payment's new fields by its id. It costs MongoDB about two thirds as much as single updates. The statement's token shows who won.
 */
import { limits } from '../../config/limits.js';
import type { Payment } from '../domain/payment/payment.js';
import { newToken } from '../ids.js';
import type { Change as Changed, Write } from './database.js';

export interface Save {
  readonly before: Payment;
  readonly after: Payment;
}

export interface Statement {
  readonly operation: Write<Payment>;
  readonly saves: readonly Save[];
  /** In `writes` of every payment that the statement wrote, and of no other. */
  readonly token: string;
}

/** Top-level fields of unique indexes: a statement for many would stop at the first duplicate, so such a save goes alone. */
const uniqueFields = ['refKeys', 'threeDs'];

interface Change {
  readonly save: Save;
  readonly set: Record<string, unknown>;
  readonly unset: readonly string[];
}

/** Whether a save leaves the field out: the API alone writes `answered`, outside of `version`; the statement itself sets the other two. */
const isKept = (key: keyof Payment) => key === 'version' || key === 'writes' || key === 'answered';

/** Returns the top-level fields that differ between `before` and `after`. */
function toChange(save: Save): Change {
  const { before, after } = save;
  const set: Record<string, unknown> = { version: before.version + 1 };
  const unset: string[] = [];
  for (const key of Object.keys(after) as (keyof Payment)[]) {
    if (isKept(key) || before[key] === after[key]) continue;
    if (after[key] === undefined) unset.push(key);
    else set[key] = after[key];
  }
  for (const key of Object.keys(before) as (keyof Payment)[]) {
    if (!(key in after) && !isKept(key) && before[key] !== undefined) unset.push(key);
  }
  return { save, set, unset };
}

function single({ save, set, unset }: Change): Statement {
  const token = newToken();
  const update = {
    // The fields of `after` by name.
    $set: set as NonNullable<Changed<Payment>['$set']>,
    ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((key) => [key, '' as const])) }),
    $push: { writes: { $each: [token], $slice: -limits.writesKept } },
  };
  const filter = { _id: save.before._id, version: save.before.version };
  return { operation: { updateOne: { filter, update: update } }, saves: [save], token };
}

/** Builds one statement for saves of the same version that remove the same fields. */
function groupedUpdate(changes: readonly [Change, ...Change[]]): Statement {
  const [first] = changes;
  const token = newToken();
  const branches = changes.map(({ save, set }) => ({
    case: { $eq: ['$_id', save.before._id] },
    // biome-ignore lint/suspicious/noThenProperty: a branch of $switch has this name.
    then: { $literal: set },
  }));
  const update = [
    { $replaceWith: { $mergeObjects: ['$$ROOT', { $switch: { branches, default: {} } }] } },
    { $set: { writes: { $slice: [{ $concatArrays: ['$writes', [token]] }, -limits.writesKept] } } },
    ...(first.unset.length > 0 ? [{ $unset: first.unset }] : []),
  ];
  const saves = changes.map(({ save }) => save);
  const filter = { _id: { $in: saves.map(({ before }) => before._id) }, version: first.save.before.version };
  return { operation: { updateMany: { filter, update: update } }, saves, token };
}

/**
 * Returns the statements of a batch, unordered. A payment that is in the batch twice is in two statements: one wins, the other finds
 * another version.
 */
export function toStatements(batch: readonly Save[]): Statement[] {
  const alone: Change[] = [];
  const groups = new Map<string, [Change, ...Change[]]>();
  const ids = new Set<string>();
  for (const change of batch.map(toChange)) {
    const { before } = change.save;
    if (ids.has(before._id) || uniqueFields.some((name) => name in change.set)) {
      alone.push(change);
      continue;
    }
    ids.add(before._id);
    const key = [before.version, ...change.unset].join(' ');
    const group = groups.get(key);
    if (group) group.push(change);
    else groups.set(key, [change]);
  }
  const grouped = [...groups.values()].map((group) => (group.length === 1 ? single(group[0]) : groupedUpdate(group)));
  return [...grouped, ...alone.map(single)];
}
