import type { ApiKeyRow } from '../../../shared/store/client.model.js';
import { revokeKey, rotateKey } from '../../provisioning/end-key.js';
import { issueKey } from '../../provisioning/issue-key.js';
import { checkClient, ProvisioningError } from '../../provisioning/provisioning.js';
import type { CommandGroup, Input, Tools } from '../command.js';
import { readDuration, readMerchantId, readMoment } from '../read-values.js';

const SHOWN_ONCE = 'The API key is shown this once: store it now. Nothing that the gateway keeps leads back to it.';
const OTHERS =
  'It had other successors, which go on: revoke one that was never shown, as where its command was killed before.';
const keyWord = { name: 'key', about: 'Id of the key: key_…' };
const clientOption = { value: '<id>', about: 'Id of the client: cli_…', required: true };

const statusOf = ({ revokedAt, expiresAt }: ApiKeyRow, now: Date) =>
  revokedAt ? 'revoked' : expiresAt && expiresAt <= now ? 'expired' : 'active';

function expiryOf(input: Input, now: Date): Date | undefined {
  const text = input.optional('expires-at');
  return text === undefined ? undefined : readMoment(text, 'expires-at', now);
}

/** @throws {ProvisioningError} when there is no such key */
export async function findKey({ provisioning }: Pick<Tools, 'provisioning'>, keyId: string): Promise<ApiKeyRow> {
  const key = await provisioning.clients.findKey(keyId);
  if (!key) throw new ProvisioningError(`There is no key ${keyId}.`);
  return key;
}

export const keys: CommandGroup = {
  name: 'keys',
  summary: 'API keys of a client: several may be active, so that they can overlap.',
  commands: [
    {
      path: ['keys', 'issue'],
      summary: 'Issues a key and shows it, once.',
      details:
        'Without --merchant-id it is a primary key: all merchants of the client, later ones too. With --merchant-id it is a secondary key for these merchants only.',
      options: {
        'client-id': clientOption,
        'merchant-id': { value: '<id>', about: 'A merchant that a secondary key may use.', multiple: true },
        secondary: { about: 'A secondary key without any merchant yet (see grants).' },
        'expires-at': { value: '<when>', about: 'When it ends: 2027-01-31T12:00:00Z, or 90d from now.' },
      },
      examples: [
        'keys issue --client-id cli_…',
        'keys issue --client-id cli_… --merchant-id 10001 --expires-at 90d --json',
      ],
      async run(input, { provisioning, record }) {
        const clientId = input.text('client-id');
        const merchantIds = [...new Set(input.list('merchant-id').map(readMerchantId))];
        const secondary = input.flag('secondary') || merchantIds.length > 0;
        const expiresAt = expiryOf(input, provisioning.clock.now());
        const { keyId, apiKey } = await issueKey(provisioning, {
          clientId,
          ...(secondary && { merchantIds }),
          ...(expiresAt && { expiresAt }),
          announce: ({ _id: object }) => record({ action: 'key.issued', object, clientId }),
        });
        const kind = secondary ? 'secondary' : 'primary';
        return {
          kind: 'record',
          done: `Issued ${kind} key ${keyId}.`,
          record: {
            keyId,
            clientId,
            apiKey,
            kind,
            ...(secondary && { merchants: merchantIds }),
            ...(expiresAt && { expiresAt }),
          },
          note: SHOWN_ONCE,
        };
      },
    },
    {
      path: ['keys', 'list'],
      reads: true,
      summary: 'Shows the keys of a client by their last four characters; keys themselves are stored nowhere.',
      options: { 'client-id': clientOption, all: { about: 'Revoked and expired ones too.' } },
      examples: ['keys list --client-id cli_…'],
      async run(input, { provisioning }) {
        const clientId = input.text('client-id');
        await checkClient(provisioning, clientId);
        const now = provisioning.clock.now();
        const found = await provisioning.clients.findEveryKey(clientId);
        const rows = found
          .map((key) => ({
            keyId: key._id,
            kind: key.kind,
            status: statusOf(key, now),
            merchants: key.kind === 'primary' ? 'all' : key.merchantIds,
            endsWith: key.last4,
            createdAt: key.createdAt,
            expiresAt: key.expiresAt ?? null,
            revokedAt: key.revokedAt ?? null,
          }))
          .filter(({ status }) => input.flag('all') || status === 'active');
        return { kind: 'rows', rows, empty: `Client ${clientId} has no active key.` };
      },
    },
    {
      path: ['keys', 'rotate'],
      summary: 'Issues the successor of a key, with the same rights, and lets the old one go on for a while.',
      words: [keyWord],
      options: {
        overlap: { value: '<duration>', about: 'How long the old key goes on: 30s, 15m, 24h, 7d.', default: '24h' },
        'expires-at': {
          value: '<when>',
          about:
            'When the successor ends: 2027-01-31T12:00:00Z, or 90d from now. Without it, when the newest key of its line does.',
        },
      },
      examples: ['keys rotate key_… --overlap 7d', 'keys rotate key_… --expires-at 90d'],
      async run(input, tools) {
        const { provisioning, record } = tools;
        const keyId = input.word('key');
        const overlapMs = readDuration(input.text('overlap'), 'overlap');
        const expiresAt = expiryOf(input, provisioning.clock.now());
        const issued = await rotateKey(provisioning, {
          keyId,
          overlapMs,
          expiresAt,
          announce: ({ _id, clientId }) => record({ action: 'key.rotated', object: `${keyId}/${_id}`, clientId }),
        });
        const old = await findKey(tools, keyId);
        return {
          kind: 'record',
          done: `Issued ${issued.keyId}, the successor of ${keyId}.`,
          record: {
            keyId: issued.keyId,
            clientId: old.clientId,
            apiKey: issued.apiKey,
            expiresAt: issued.expiresAt ?? null,
            replaces: keyId,
            oldKeyEndsAt: old.expiresAt ?? null,
            ...(issued.others.length > 0 && { otherSuccessors: issued.others }),
          },
          note: issued.others.length > 0 ? `${SHOWN_ONCE}\n${OTHERS}` : SHOWN_ONCE,
        };
      },
    },
    {
      path: ['keys', 'revoke'],
      summary: 'Ends a key and its bearer tokens: every process refuses them within five seconds.',
      words: [keyWord],
      examples: ['keys revoke key_…'],
      async run(input, tools) {
        const keyId = input.word('key');
        await revokeKey(tools.provisioning, keyId);
        const { clientId, revokedAt } = await findKey(tools, keyId);
        await tools.record({ action: 'key.revoked', object: keyId, clientId });
        return { kind: 'record', done: `Revoked ${keyId}.`, record: { keyId, clientId, revokedAt } };
      },
    },
  ],
};
