/** Decides which parts of the code are mutated when not all of it is: pieces of a few lines, drawn by a seed. Pure. */
import { createHash } from 'node:crypto';

/** Mutations that are longer than a piece are never drawn. */
const PIECE_LINES = 8;
const DRAWS = 0x1_00_00_00_00;
const PER_CENT = 100;

/** Returns a number from 0 to 1, always the same for the same piece and seed. */
const drawOf = (/** @type {string} */ text) => createHash('sha256').update(text).digest().readUInt32BE(0) / DRAWS;

/**
 * @param {readonly { file: string, lines: number }[]} files
 * @param {{ share: number, seed: string }} sample per cent of the pieces
 * @returns {string[]} in the form that StrykerJS takes: `shared/store/a.ts:9-16`
 */
export function drawPieces(files, { share, seed }) {
  return files.flatMap(({ file, lines }) =>
    Array.from({ length: Math.ceil(lines / PIECE_LINES) }, (_, at) => at * PIECE_LINES + 1)
      .filter((line) => drawOf(`${seed} ${file} ${line}`) * PER_CENT < share)
      .map((line) => `${file}:${line}-${line + PIECE_LINES - 1}`),
  );
}
