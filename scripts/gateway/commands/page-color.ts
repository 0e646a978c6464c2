import { setPageColor } from '../../provisioning/page-color.js';
import { type CommandGroup, UsageError } from '../command.js';
import { findMerchant, merchantWord } from './merchants.js';

export const pageColor: CommandGroup = {
  name: 'page-color',
  summary: 'The colour of the buttons on the hosted pages of a merchant.',
  commands: [
    {
      path: ['page-color', 'set'],
      summary: 'Sets it, or with --none gives the pages our colour again.',
      words: [merchantWord],
      options: {
        color: {
          value: '<color>',
          about: 'Six hexadecimal digits: b4451f. Legible text on it is chosen by the pages.',
        },
        none: { about: 'Our colour again.' },
      },
      examples: ['page-color set 10001 --color b4451f', 'page-color set 10001 --none'],
      async run(input, tools) {
        const color = input.optional('color');
        if ((color !== undefined) === input.flag('none')) {
          throw new UsageError('Give --color, or --none.', ['page-color', 'set']);
        }
        const { id, clientId } = await findMerchant(tools, input.word('merchant'));
        const stored = await setPageColor(tools.provisioning, { merchantId: id, color });
        await tools.record({ action: 'page-color.changed', object: String(id), clientId, merchantId: id });
        return {
          kind: 'record',
          done: stored === undefined ? `The pages of merchant ${id} have our colour.` : `Set for merchant ${id}.`,
          record: { merchantId: id, pageColor: stored === undefined ? null : `#${stored}` },
        };
      },
    },
  ],
};
