import { setEmbedOrigins } from '../../provisioning/embed-origins.js';
import { type CommandGroup, UsageError } from '../command.js';
import { findMerchant, merchantWord } from './merchants.js';

export const embedOrigins: CommandGroup = {
  name: 'embed-origins',
  summary: 'Whose pages may frame the embedded tokenization page of a merchant.',
  commands: [
    {
      path: ['embed-origins', 'list'],
      reads: true,
      summary: 'Shows them.',
      words: [merchantWord],
      examples: ['embed-origins list 10001'],
      async run(input, tools) {
        const { id, embedOrigins: origins = [] } = await findMerchant(tools, input.word('merchant'));
        return {
          kind: 'rows',
          rows: origins.map((origin) => ({ origin })),
          empty: `Merchant ${id} has no embed origin: its page cannot be framed, unless a session names where it returns to.`,
        };
      },
    },
    {
      path: ['embed-origins', 'set'],
      summary: 'Sets them, in the place of those that were set before.',
      words: [merchantWord],
      options: {
        origin: { value: '<origin>', about: 'https://shop.example, without a path.', multiple: true },
        none: { about: 'Removes all.' },
      },
      examples: ['embed-origins set 10001 --origin https://shop.example --origin https://www.shop.example'],
      async run(input, tools) {
        const given = input.list('origin');
        if (given.length > 0 === input.flag('none')) {
          throw new UsageError('Give --origin once or more, or --none.', ['embed-origins', 'set']);
        }
        const { id, clientId } = await findMerchant(tools, input.word('merchant'));
        const origins = await setEmbedOrigins(tools.provisioning, { merchantId: id, origins: given });
        await tools.record({ action: 'embed-origins.changed', object: String(id), clientId, merchantId: id });
        return {
          kind: 'record',
          done: `Merchant ${id} has ${origins.length} embed origin${origins.length === 1 ? '' : 's'}.`,
          record: { merchantId: id, origins },
        };
      },
    },
  ],
};
