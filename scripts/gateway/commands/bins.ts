import { binColumns, importBins } from '../../provisioning/import-bins.js';
import type { CommandGroup } from '../command.js';

export const bins: CommandGroup = {
  name: 'bins',
  summary: 'The BIN table: issuer, country and type of cards.',
  commands: [
    {
      path: ['bins', 'import'],
      summary: 'Imports a CSV file; a row with the same bounds takes the place of the one that was there.',
      details: `The first line names the columns: ${binColumns.join(', ')}. An import that was broken off goes on where it stopped when it is run again with the same file.`,
      words: [{ name: 'file', about: 'A CSV file in UTF-8.' }],
      examples: ['bins import bins.csv'],
      async run(input, { database, progress, record }) {
        const result = await importBins(database, input.word('file'), ({ rows, share }) =>
          progress(`${rows} rows, ${Math.floor(share * 100)} %`),
        );
        await record({ action: 'bins.imported', object: `${result.rows} rows` });
        const { rows, refused, resumedAt } = result;
        return {
          kind: 'record',
          done: `Read ${rows} rows; ${refused} were no BIN ranges.`,
          record: { rows, refused, resumedAt },
        };
      },
    },
  ],
};
