import { grantMerchants } from '../../provisioning/grant-merchants.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import type { Command, CommandGroup, Input, Tools } from '../command.js';
import { readMerchantId } from '../read-values.js';
import { findKey } from './keys.js';

const words = [{ name: 'key', about: 'Id of a secondary key: key_…' }];
const merchant = { value: '<id>', about: 'A merchant of the same client.', multiple: true };

/** The merchants of a secondary key, as they are now. */
async function grantsOf(tools: Tools, keyId: string) {
  const key = await findKey(tools, keyId);
  if (key.kind !== 'secondary') {
    throw new ProvisioningError(`${keyId} is a primary key: it may use all merchants of its client.`);
  }
  return key;
}

/** A command that makes a new list from the old one and the merchants that were given. */
function changing(
  verb: string,
  summary: string,
  required: boolean,
  next: (old: readonly number[], given: readonly number[]) => readonly number[],
): Command {
  return {
    path: ['grants', verb],
    summary,
    words,
    options: { 'merchant-id': { ...merchant, required } },
    examples: [`grants ${verb} key_… --merchant-id 10001 --merchant-id 10002`],
    async run(input: Input, tools: Tools) {
      const keyId = input.word('key');
      const { clientId, merchantIds } = await grantsOf(tools, keyId);
      const given = input.list('merchant-id').map(readMerchantId);
      const merchants = [...new Set(next(merchantIds, given))].sort((a, b) => a - b);
      await grantMerchants(tools.provisioning, { keyId, merchantIds: merchants });
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
          rows: merchantIds.map((id) => ({ merchantId: id, name: names.get(id) ?? null })),
          empty: `Key ${keyId} may use no merchant.`,
        };
      },
    },
    changing(
      'set',
      'Sets the merchants of a key, in the place of those it had; without --merchant-id, none.',
      false,
      (_old, given) => given,
    ),
    changing('add', 'Adds merchants.', true, (old, given) => [...old, ...given]),
    changing('remove', 'Takes merchants away.', true, (old, given) => old.filter((id) => !given.includes(id))),
  ],
};
