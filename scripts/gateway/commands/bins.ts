import { createBinImports } from '../../../shared/store/bin-import.repository.js';
import { createBinTable } from '../../../shared/store/bin-range.repository.js';
import { binColumns, importBins } from '../../provisioning/import-bins.js';
import type { CommandGroup } from '../command.js';

const EMPTY =
  'The table is empty: type, issuer and country of cards are unknown, and rules that need them do not match.';

export const bins: CommandGroup = {
  name: 'bins',
  summary: 'The BIN table: issuer, country and type of cards (docs/bins.md).',
  commands: [
    {
      path: ['bins', 'import'],
      summary: 'Imports a CSV file in the place of the table that was there.',
      details: `The first line names the columns: ${binColumns.join(', ')}. A file with one wrong line changes nothing; the line is named.`,
      words: [{ name: 'file', about: 'A CSV file in UTF-8.' }],
      examples: ['bins import bins.csv', 'bins import docs/bins-sample.csv'],
      async run(input, { database, provisioning, progress, record }) {
        const { clock } = provisioning;
        const { ranges, sha256 } = await importBins({ database, clock }, input.word('file'), ({ rows, share }) =>
          progress(`${rows} rows, ${Math.floor(share * 100)} %`),
        );
        await record({ action: 'bins.imported', object: `${ranges} rows` });
        return { kind: 'record', done: `Imported ${ranges} ranges.`, record: { ranges, sha256 } };
      },
    },
    {
      path: ['bins', 'status'],
      reads: true,
      summary: 'Says how many ranges there are, and when and from what they were imported.',
      examples: ['bins status'],
      async run(_input, { database }) {
        const [ranges, last] = [await createBinTable(database).count(), await createBinImports(database).find()];
        const { file = null, sha256 = null, importedAt = null } = last ?? {};
        const done = ranges === 0 ? EMPTY : `${ranges} ranges.`;
        return { kind: 'record', done, record: { ranges, file, sha256, importedAt } };
      },
    },
  ],
};
