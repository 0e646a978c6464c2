import { createClient } from '../../provisioning/create-client.js';
import type { CommandGroup } from '../command.js';

export const clients: CommandGroup = {
  name: 'clients',
  summary: 'Integrators: merchants and API keys belong to one.',
  commands: [
    {
      path: ['clients', 'create'],
      summary: 'Makes a client. It can do nothing until it has a merchant and a key.',
      options: { name: { value: '<name>', about: 'What people call it.', required: true } },
      examples: ['clients create --name "Example Shop"'],
      async run(input, { provisioning, record }) {
        const { _id: clientId, name, createdAt } = await createClient(provisioning, { name: input.text('name') });
        await record({ action: 'client.created', object: clientId, clientId });
        return {
          kind: 'record',
          done: `Made client ${clientId}.`,
          record: { clientId, name, createdAt },
          note: `Next: ./gateway merchants create --client-id ${clientId} --name <name>, ./gateway keys issue --client-id ${clientId}`,
        };
      },
    },
    {
      path: ['clients', 'list'],
      reads: true,
      summary: 'Shows all clients, oldest first.',
      examples: ['clients list'],
      async run(_input, { provisioning }) {
        const rows = await provisioning.clients.findClients();
        return {
          kind: 'rows',
          rows: rows.map(({ _id: clientId, name, createdAt }) => ({ clientId, name, createdAt })),
          empty: 'There is no client yet: ./gateway clients create --name <name>',
        };
      },
    },
  ],
};
