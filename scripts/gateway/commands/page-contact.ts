import type { PageContact } from '../../../shared/domain/merchant.js';
import { setPageContact } from '../../provisioning/page-contact.js';
import { type CommandGroup, UsageError } from '../command.js';
import { findMerchant, merchantWord } from './merchants.js';

const parts = ['address', 'email', 'phone', 'url'] as const satisfies readonly (keyof PageContact)[];

export const pageContact: CommandGroup = {
  name: 'page-contact',
  summary: 'Address and contact of a merchant, as its hosted pages tell payers.',
  commands: [
    {
      path: ['page-contact', 'set'],
      summary: 'Sets all of it, in the place of what was set before.',
      details:
        'The checkout shows it beside what is paid, the receipt below the seller, and a link that has ended says whom to ask.',
      words: [merchantWord],
      options: {
        address: { value: '<text>', about: 'Where the shop is, on one line.' },
        email: { value: '<email>', about: 'Where payers write.' },
        phone: { value: '<number>', about: 'Where payers call, as they dial it.' },
        url: { value: '<url>', about: 'Page of the shop: https.' },
        none: { about: 'Removes all of it.' },
      },
      examples: [
        'page-contact set 10001 --address "Sarandí 690, Montevideo" --email help@shop.example',
        'page-contact set 10001 --none',
      ],
      async run(input, tools) {
        const given = parts.flatMap((part) => {
          const text = input.optional(part);
          return text === undefined ? [] : [[part, text] as const];
        });
        if (given.length > 0 === input.flag('none')) {
          throw new UsageError('Give one or more of --address, --email, --phone and --url, or --none.', [
            'page-contact',
            'set',
          ]);
        }
        const { id, clientId } = await findMerchant(tools, input.word('merchant'));
        const contact: PageContact | undefined = given.length > 0 ? Object.fromEntries(given) : undefined;
        await setPageContact(tools.provisioning, { merchantId: id, contact });
        await tools.record({ action: 'page-contact.changed', object: String(id), clientId, merchantId: id });
        return {
          kind: 'record',
          done: contact ? `Set for merchant ${id}.` : `The pages of merchant ${id} tell payers its name only.`,
          record: { merchantId: id, ...Object.fromEntries(parts.map((part) => [part, contact?.[part] ?? null])) },
        };
      },
    },
  ],
};
