import { type GrantChange, grantMerchants } from '../../provisioning/grant-merchants.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import { type Command, type CommandGroup, type Input, type Tools, UsageError } from '../command.js';
import { readMerchantId } from '../read-values.js';
import { findKey } from './keys.js';

const words = [{ name: 'key', about: 'Id of a secondary key: key_…' }];
const merchant = { value: '<id>', about: 'A merchant of the same client.', multiple: true };

/** Returns the current merchants of a secondary key. */
async function grantsOf(tools: Tools, keyId: string) {
  const key = await findKey(tools, keyId);
  if (key.kind !== 'secondary') {
    throw new ProvisioningError(`${keyId} is a primary key: it may use all merchants of its client.`);
  }
  return key;
}

/** Reads the merchants of the command line. @throws {UsageError} when there are none and the new list is not meant to be empty */
function readMerchants(input: Input, change: GrantChange): readonly number[] {
  const given = input.list('merchant-id');
  if (change === 'set' && given.length > 0 === input.flag('none')) {
    throw new UsageError('Give --merchant-id once or more, or --none.', ['grants', 'set']);
  }
  return [...new Set(given.map(readMerchantId))];
}

function changing(change: GrantChange, summary: string): Command {
  const options = {
    'merchant-id': { ...merchant, required: change !== 'set' },
    ...(change === 'set' && { none: { about: 'Takes all away.' } }),
  };
  return {
    path: ['grants', change],
    summary,
    words,
    options,
    examples: [`grants ${change} key_… --merchant-id 10001 --merchant-id 10002`],
    async run(input: Input, tools: Tools) {
      const keyId = input.word('key');
      const { clientId } = await grantsOf(tools, keyId);
      await grantMerchants(tools.provisioning, { keyId, merchantIds: readMerchants(input, change), change });
      const merchants = [...(await grantsOf(tools, keyId)).merchantIds].sort((a, b) => a - b);
      await tools.record({ action: 'grants.changed', object: keyId, clientId });
      return {
        kind: 'record',
        done: `Key ${keyId} may use ${merchants.length} merchant${merchants.length === 1 ? '' : 's'}.`,
        record: { keyId, clientId, merchants },
        note: 'Every process knows within five seconds.',
      };
    },
  };
}

export const grants: CommandGroup = {
  name: 'grants',
  summary: 'Which merchants a secondary key may use.',
  commands: [
    {
      path: ['grants', 'list'],
      reads: true,
      summary: 'Shows the merchants of a secondary key.',
      words,
      examples: ['grants list key_…'],
      async run(input, tools) {
        const { _id: keyId, clientId, merchantIds } = await grantsOf(tools, input.word('key'));
        const names = new Map(
          (await tools.provisioning.merchants.findMerchantsOf(clientId)).map(({ id, name }) => [id, name]),
        );
        return {
          kind: 'rows',
          rows: [...merchantIds].sort((a, b) => a - b).map((id) => ({ merchantId: id, name: names.get(id) ?? null })),
          empty: `Key ${keyId} may use no merchant.`,
        };
      },
    },
    changing('set', 'Sets the merchants of a key, in the place of those it had.'),
    changing('add', 'Adds merchants.'),
    changing('remove', 'Takes merchants away.'),
  ],
};
