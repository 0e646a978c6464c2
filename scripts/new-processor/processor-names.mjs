/** Derives names from the code of a processor. Pure. */
import { Problem } from '../setup/problem.mjs';

const CODE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const LENGTH_MIN = 2;
const LENGTH_MAX = 32;
/** Names of files and folders that are refused because they say nothing (test/guards/files.test.ts). */
const BANNED = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'manager', 'service', 'data', 'info']);

/**
 * @typedef {object} Names
 * @property {string} code `acme-bank`: stored on payments and in the configuration of merchants
 * @property {string} Pascal `AcmeBank`
 * @property {string} camel `acmeBank`
 * @property {string} CONSTANT `ACME_BANK`
 */

/**
 * @param {string | undefined} code
 * @returns {Names}
 * @throws {Problem} saying what a valid code is
 */
export function namesOf(code) {
  if (code === undefined || code === '') throw new Problem('Which processor? For example: npm run new:processor acme');
  if (!CODE.test(code) || code.length < LENGTH_MIN || code.length > LENGTH_MAX) {
    throw new Problem(
      `${JSON.stringify(code)} cannot be the code of a processor: ${LENGTH_MIN} to ${LENGTH_MAX} lowercase letters and digits, a letter first, words joined by "-". For example acme or acme-bank.`,
    );
  }
  const words = code.split('-');
  const banned = words.find((word) => BANNED.has(word));
  if (banned) throw new Problem(`"${banned}" says nothing: take the name that the processor has.`);
  const Pascal = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
  return {
    code,
    Pascal,
    camel: Pascal[0]?.toLowerCase() + Pascal.slice(1),
    CONSTANT: code.toUpperCase().replaceAll('-', '_'),
  };
}
