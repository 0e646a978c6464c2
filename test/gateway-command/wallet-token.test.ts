/** `./gateway testing wallet-token`: the gateway accepts its tokens, and refuses the broken ones. */
import { randomBytes } from 'node:crypto';
import { run } from '../../scripts/gateway/run.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { createWalletUseRepository } from '../../shared/store/wallet-use.repository.js';
import { parseTrust } from '../../shared/wallets/load-trust.js';
import { testRecipientKeys, testRootKeys } from '../../shared/wallets/test-keys.js';
import { openWalletAToken } from '../../shared/wallets/wallet-a/open-token.js';
import { testMongoUri } from '../support/services.js';

/** The same pepper for all tests: the database refuses other keys than those of its first use. */
const pepper = randomBytes(32).toString('base64');
let database: Database;
beforeAll(async () => {
  database = await openDatabase(testMongoUri('wallettoken'));
  await database.connection.dropDatabase();
});
afterAll(async () => {
  await database.connection.dropDatabase();
  await database.close();
});

async function mint(args: string, environment = 'testing') {
  let out = '';
  let err = '';
  const code = await run(`testing wallet-token ${args} --json`.split(' '), {
    env: {
      GATEWAY_ENVIRONMENT: environment,
      MONGODB_URI: testMongoUri('wallettoken'),
      API_KEY_PEPPER: pepper,
    },
    local: '/nowhere',
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, err, token: code === 0 ? (JSON.parse(out).token as string) : '' };
}

const { walletA } = parseTrust({
  walletA: { rootKeys: testRootKeys, recipientKeys: testRecipientKeys, gatewayName: 'payment-gateway' },
});

function open(token: string) {
  if (!walletA) throw new Error('trust was given');
  return openWalletAToken(Buffer.from(token, 'base64').toString('utf8'), walletA, '1001', new Date());
}

test('a minted token can be opened', async () => {
  const { token } = await mint('--type wallet-a-pay --merchant-id 1001 --auth-method PAN_ONLY');
  expect(open(token)).toMatchObject({ kind: 'opened', credential: { kind: 'pan-only', number: '4111111111111111' } });
});

test.each([
  ['expired', 'expired'],
  ['wrong-recipient', 'unverifiable'],
  ['bad-signature', 'unverifiable'],
  ['tampered', 'unverifiable'],
])('a token that is %s is refused as %s', async (broken, reason) => {
  expect(open((await mint(`--type wallet-a-pay --merchant-id 1001 --broken ${broken}`)).token)).toEqual({
    kind: 'refused',
    reason,
  });
});

test('a replayed token is already used', async () => {
  const opened = open((await mint('--type wallet-a-pay --merchant-id 1001 --broken replayed')).token);
  const uniqueId = opened.kind === 'opened' ? opened.credential.uniqueId : '';
  const use = { walletType: 'wallet-a-pay' as const, uniqueId, owner: 'somebody' };
  expect(await createWalletUseRepository(database).claim(use, new Date())).toBe(false);
});

test('a token that cannot be minted is refused with a reason', async () => {
  expect((await mint('--type a --merchant-id 1001')).code).toBe(2);
  expect(await mint('--type wallet-b-pay --merchant-id 1001')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no certificate'),
  });
});
