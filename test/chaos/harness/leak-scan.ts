/** Searches for data that must not leak (docs/security.md#no-leaks): by its bytes in all artefacts, and by its form in texts. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createByteSearch } from './byte-search.js';
import { type Needle, numberNeedles, secretNeedles } from './needles.js';

export interface Hit {
  readonly file: string;
  /** Describes the finding, without the value. */
  readonly description: string;
}

export interface ScanResult {
  readonly files: number;
  readonly bytes: number;
  readonly needles: number;
  readonly hits: readonly Hit[];
}

export interface ScanOptions {
  /** Files and folders that are searched for the bytes only. */
  readonly raw: readonly string[];
  /** Text files and folders, which are also searched for forms. */
  readonly text: readonly string[];
  readonly cardNumbers: readonly string[];
  /** Secret values by their description. */
  readonly secrets: Readonly<Record<string, string>>;
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((name) => statSync(name, { throwIfNoEntry: false })?.isFile());
}

/**
 * A field for card data with a value: `"cvc":"123"`, escaped or not, in JSON, a query or an inspected object. The id of
 * a data key, `cvc:498672`, has more digits than a cvc.
 */
const FIELD =
  /(?<![a-z])(cvc2?|cvv2?|security_?code|card_?number|pan)(?:\\*["'])?\s*[:=]\s*(?:\\*["'])?(\d{3,4}|\d{12,19})(?!\d)/gi;
/** Digits without neighbours: in one piece, or in groups as cards are printed. */
const DIGITS = /(?<![\w.%+/=-])(?:\d{13,19}|\d{3,6}(?:[ -]\d{2,6}){2,5})(?![\w%+/=-])/g;
const DIGITS_MIN = 13;
const DIGITS_MAX = 19;
/** Milliseconds since the epoch, from 2017 to 2033, are not card numbers. */
const EPOCH_MS = /^(1[5-9]|20)\d{11}$/;
/** Text before the score of a delayed job in a captured command. BullMQ's score is 4096 times the job's time. */
const BEFORE_SCORE = /:delayed"(?: "[^"\n]*")* "$/;
const BEFORE_SCORE_LENGTH = 120;

export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    let digit = Number(digits[digits.length - 1 - at]);
    if (at % 2 === 1) {
      digit *= 2;
      if (digit > 9) digit -= 9;
    }
    sum += digit;
  }
  return sum % 10 === 0;
}

/** Finds card data in a text by its form alone. */
export function scanText(text: string): string[] {
  const found: string[] = [];
  for (const [, field = ''] of text.matchAll(FIELD)) found.push(`a value in a field ${field.toLowerCase()}`);
  for (const { 0: match, index } of text.matchAll(DIGITS)) {
    const digits = match.replace(/[ -]/g, '');
    if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) continue;
    if (EPOCH_MS.test(digits) || /^0+$/.test(digits) || !passesLuhn(digits)) continue;
    if (BEFORE_SCORE.test(text.slice(Math.max(0, index - BEFORE_SCORE_LENGTH), index))) continue;
    found.push(`${digits.length} digits with a right check digit`);
  }
  return found;
}

/** A running database removes files of its journal while they are listed. @returns whether the file still existed */
function unlessGone(read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Searches everything. A finding never contains the value. */
export function scanForLeaks({ raw, text, cardNumbers, secrets }: ScanOptions): ScanResult {
  const needles: Needle[] = [
    ...cardNumbers.flatMap(numberNeedles),
    ...Object.entries(secrets).flatMap(([name, value]) => secretNeedles(name, value)),
  ];
  const search = createByteSearch(needles.map(({ bytes }) => bytes));
  const textFiles = text.flatMap(filesIn);
  const files = [...new Set([...raw.flatMap(filesIn), ...textFiles])];
  const hits = new Map<string, Hit>();
  const note = (file: string, description: string) => hits.set(`${file}|${description}`, { file, description });
  let bytes = 0;
  const searched = files.filter((file) =>
    unlessGone(() => {
      search.searchFile(file, (index) => note(file, `${needles[index]?.secret}, ${needles[index]?.form}`));
      bytes += statSync(file).size;
    }),
  );
  for (const file of textFiles)
    for (const description of scanText(readFileSync(file, 'latin1'))) note(file, description);
  return { files: searched.length, bytes, needles: needles.length, hits: [...hits.values()] };
}
