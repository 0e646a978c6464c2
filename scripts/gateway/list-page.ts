/** Pages through lists that may be long: shows a part, says that there is more, and how to go on. */
import { limits } from '../../config/limits.js';
import { ProvisioningError } from '../provisioning/provisioning.js';
import { type Input, type More, type Option, UsageError } from './command.js';

/** Options of every command that shows a part of a list. */
export const pageOptions = {
  limit: {
    value: '<number>',
    about: `How many at most, up to ${limits.operatorListedMax}.`,
    default: String(limits.operatorListed),
  },
  after: { value: '<id>', about: 'Goes on behind this one: the id of the last one that was shown.' },
} as const satisfies Readonly<Record<string, Option>>;

function limitOf(input: Input): number {
  const text = input.text('limit');
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= limits.operatorListedMax) return limit;
  throw new UsageError(`--limit takes a whole number from 1 to ${limits.operatorListedMax}.`);
}

interface ListedPage<R> {
  readonly found: readonly R[];
  /** Present when there are more rows than were read. */
  readonly more?: More;
}

/**
 * Reads the part of a list that {@link pageOptions} ask for.
 * @param read reads at most this many rows, after the row with this id; undefined when no row has the id
 * @throws {ProvisioningError} when no row has the id
 */
export async function readPage<R>(
  input: Input,
  idOf: (row: R) => string,
  read: (limit: number, after: string | undefined) => Promise<readonly R[] | undefined>,
): Promise<ListedPage<R>> {
  const [limit, after] = [limitOf(input), input.optional('after')];
  // One row more than is shown says whether the list goes on.
  const rows = await read(limit + 1, after);
  if (!rows) throw new ProvisioningError(`--after: there is nothing with the id ${after}.`);
  const found = rows.slice(0, limit);
  const last = found.at(-1);
  if (rows.length <= limit || last === undefined) return { found };
  const id = idOf(last);
  return { found, more: { sentence: `${limit} shown, there are more: go on with --after ${id}`, after: id } };
}
