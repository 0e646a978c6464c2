/** Reads the heads of audit chains from logs of any size: only one piece of a file and the heads are in memory. */
import { createReadStream } from 'node:fs';
import { fileProblem } from '../../config/file-problem.js';
import { limits } from '../../config/limits.js';
import type { LoggedHead } from '../../shared/store/audit-chain.js';
import { ProvisioningError } from '../provisioning/provisioning.js';

const HEAD = 'audit.head';

/** Reads the lines of a file, without those that are too long to contain a head. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  let tooLong = false;
  for await (const piece of createReadStream(file, 'utf8')) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!tooLong) yield line;
      tooLong = false;
    }
    tooLong ||= rest.length > limits.auditLogLineLengthMax;
    if (tooLong) rest = '';
  }
  if (!tooLong) yield rest;
}

/** Undefined for a line without a head: another record, or a line of another program. */
function headIn(line: string): LoggedHead | undefined {
  if (!line.includes(HEAD)) return undefined;
  try {
    const { msg, chain, count, hash } = JSON.parse(line.slice(line.indexOf('{')));
    return msg === HEAD ? { chain, seq: count, hash } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns all heads, in the order of the files.
 * @param files with one JSON record per line; text before the record is skipped
 * @throws {ProvisioningError} for a file that cannot be read
 */
export async function readHeads(files: readonly string[]): Promise<readonly LoggedHead[]> {
  const heads: LoggedHead[] = [];
  for (const file of files) {
    try {
      for await (const line of linesOf(file)) {
        const head = headIn(line);
        if (head) heads.push(head);
      }
    } catch (error) {
      throw new ProvisioningError(`--log: ${file} cannot be read: ${fileProblem(error)}.`);
    }
  }
  return heads;
}
