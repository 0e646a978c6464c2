/**
 * The chain of audit entries (docs/security.md#audit), in batches as they were written. Each batch holds the hash of the batch before it,
 * so that none can be changed, inserted or removed without every later one showing it. Each process has its own chain, so that no two
 * wait for each other. The head of a chain goes to the log, which a writer of MongoDB cannot change.
 */
import { createHash } from 'node:crypto';

export interface ChainLink {
  /** `chn_…`: the chain of one process, from its start on. */
  readonly chain: string;
  /** From 1. */
  readonly seq: number;
  /** Hash of the batch before; empty for the first. */
  readonly previous: string;
  /** SHA-256 over chain, number, the hash before and the batch, base64url. */
  readonly hash: string;
}

/** A batch of entries, or a single entry, and its place in a chain. */
export interface Linked {
  readonly _id: string;
  readonly entries?: readonly unknown[];
  readonly link?: ChainLink;
}

/** Returns JSON with sorted keys: a batch that was read has the same text as the batch that was written. */
function textOf(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${textOf(member)}`).join(',')}}`;
}

/** Returns the place of `batch` behind `before`. @param batch without its own link. */
export function linkTo(before: Omit<ChainLink, 'previous'>, batch: object): ChainLink {
  const { chain, hash: previous } = before;
  const seq = before.seq + 1;
  const hash = createHash('sha256')
    .update(textOf({ chain, seq, previous, entry: batch }))
    .digest('base64url');
  return { chain, seq, previous, hash };
}

/** The head of a chain as the log has it. */
export interface LoggedHead {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
}

export interface ChainReport {
  readonly entries: number;
  readonly chains: number;
  /** Written by a release that had no chain. */
  readonly unchained: number;
  /** Entries on a chain behind the last given head of that chain: nothing but the chain itself vouches for them. */
  readonly beyondHeads: number;
  /** One sentence for each break. */
  readonly problems: readonly string[];
}

/** Returns the highest number of each chain among the heads. */
function lastHeadsOf(heads: readonly LoggedHead[]): Map<string, number> {
  const last = new Map<string, number>();
  for (const { chain, seq } of heads) last.set(chain, Math.max(seq, last.get(chain) ?? 0));
  return last;
}

/** Returns what is wrong with the place of a batch; undefined when nothing is. */
function breakOf(link: ChainLink, expected: ChainLink, id: string): string | undefined {
  if (link.seq !== expected.seq) return `batch ${expected.seq} is missing before ${id}`;
  if (link.previous !== expected.previous) return `a batch before ${id} was changed`;
  return link.hash === expected.hash ? undefined : `batch ${link.seq} (${id}) was changed`;
}

/**
 * Checks batches, which come sorted by chain and number, against one another and against heads that were logged.
 * @param heads of any number and in any order. A writer of MongoDB can insert a whole chain that is consistent in itself: only
 *   `beyondHeads` shows it.
 */
export async function verifyChains(rows: AsyncIterable<Linked>, heads: readonly LoggedHead[]): Promise<ChainReport> {
  const wanted = new Map(heads.map((head) => [`${head.chain}/${head.seq}`, head]));
  const problems: string[] = [];
  let before: Omit<ChainLink, 'previous'> | undefined;
  const count = { entries: 0, chains: 0, unchained: 0, beyondHeads: 0 };
  const lastHeads = lastHeadsOf(heads);
  for await (const { link, ...batch } of rows) {
    const entries = batch.entries?.length ?? 1;
    count.entries += entries;
    if (!link) {
      count.unchained += entries;
      continue;
    }
    if (before?.chain !== link.chain) {
      count.chains += 1;
      before = { chain: link.chain, seq: 0, hash: '' };
    }
    count.beyondHeads += link.seq > (lastHeads.get(link.chain) ?? 0) ? entries : 0;
    const expected = linkTo(before, batch);
    const broken = breakOf(link, expected, batch._id);
    if (broken) problems.push(`${link.chain}: ${broken}`);
    const logged = wanted.get(`${link.chain}/${link.seq}`);
    if (logged && logged.hash !== link.hash)
      problems.push(`${link.chain}: batch ${link.seq} is not the one in the log`);
    wanted.delete(`${link.chain}/${link.seq}`);
    before = link;
  }
  for (const { chain, seq } of wanted.values())
    problems.push(`${chain}: batch ${seq}, whose hash is in the log, is gone`);
  return { ...count, problems };
}
