/** The heads of audit chains in logs of the gateway. Logs may be of any size: what is in memory is one piece of a file, and the heads. */
import { createReadStream } from 'node:fs';
import { limits } from '../../config/limits.js';
import type { LoggedHead } from '../../shared/store/audit-chain.js';
import { ProvisioningError } from '../provisioning/provisioning.js';

const HEAD = 'audit.head';

/** Lines of a file, without those that are too long to hold a head. */
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

/** Undefined for a line that holds none: other records, and lines of other programs. */
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
 * All of them, in the order of the files.
 * @param files of one JSON record a line; what comes before a record on its line is passed by
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
    } catch {
      throw new ProvisioningError(`--log: ${file} cannot be read.`);
    }
  }
  return heads;
}
