/** Credentials that cannot be correct are refused before they are sealed. */
import { setProcessorCredentials } from '../../scripts/provisioning/processor-credentials.js';
import { adyenCredentials } from '../../shared/processors/adyen/create-adyen-processor.js';
import { account } from '../support/adyen/server.js';

const KEY = account.hmacKey;

const stripeNames = ['secretKey', 'webhookSecret'];

async function saved(
  values: unknown,
  processor = 'adyen',
  names: readonly string[] = adyenCredentials,
  environment: 'testing' | 'production' = 'testing',
) {
  const rows: unknown[] = [];
  const vault = { seal: async () => ({ v: 1 }) as never };
  const credentials = { save: async (row: unknown) => void rows.push(row) };
  const order = { clientId: 'shop', merchantId: 1, processor, names, values, environment, now: new Date(0) };
  await setProcessorCredentials({ vault, credentials }, order);
  return rows;
}

test.each([KEY, KEY.toUpperCase(), `${'b2'.repeat(32)},${KEY}`, `${'b2'.repeat(32)}, ${KEY}`])(
  'valid keys for notifications of Adyen are saved: %s',
  async (hmacKey) => expect(await saved({ ...account, hmacKey })).toHaveLength(1),
);

test.each([`"${KEY}"`, `0x${KEY}`, `${KEY},`, `${KEY};${KEY}`, KEY.slice(1), 'ab', 'hunter2'])(
  'an invalid key is refused and not repeated: %s',
  async (hmacKey) => {
    const message = 'Not set: hmacKey has to be hexadecimal keys, separated by commas.';
    await expect(saved({ ...account, hmacKey })).rejects.toThrow(message);
  },
);

test.each([
  ['testing', 'sk_test_1', 'whsec_1'],
  ['production', 'sk_live_1', 'whsec_1'],
  ['production', 'rk_live_1', 'whsec_1, whsec_a+/='],
] as const)('in %s valid credentials of Stripe are saved: %s, %s', async (environment, secretKey, webhookSecret) => {
  expect(await saved({ secretKey, webhookSecret }, 'stripe', stripeNames, environment)).toHaveLength(1);
});

test.each([
  ['production', { secretKey: 'sk_test_1' }, /^Not set: secretKey is a test key, which production refuses: no money/],
  ['production', { secretKey: 'rk_test_1' }, /secretKey is a test key/],
  ['testing', { secretKey: 'sk_live_1' }, /secretKey is a live key, which a testing environment refuses: real cards/],
  ['testing', { secretKey: 'pk_test_1' }, /secretKey must be a key such as/],
  ['testing', { secretKey: 'sk_test_1 ' }, /secretKey must be a key such as/],
  ['testing', { webhookSecret: 'sk_test_1' }, /webhookSecret must be a signing secret/],
  ['testing', { webhookSecret: 'whsec_1,' }, /webhookSecret must be a signing secret/],
] as const)('in %s credentials of Stripe that cannot be right are refused: %j', async (environment, wrong, message) => {
  const mode = environment === 'production' ? 'live' : 'test';
  const right = { secretKey: `sk_${mode}_hunter2`, webhookSecret: 'whsec_hunter2' };
  const refused = saved({ ...right, ...wrong }, 'stripe', stripeNames, environment);
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.not.toThrow(/hunter2|_1/);
});

test('exactly the credentials that the processor takes are required, as one object of texts', async () => {
  const values = { secretKey: 'sk_test_1', webhookSecret: 'whsec_1' };
  const { secretKey } = values;
  await expect(saved({ secretKey }, 'stripe', stripeNames)).rejects.toThrow('stripe needs a text for webhookSecret');
  await expect(saved({ ...values, hmacKey: KEY }, 'stripe', stripeNames)).rejects.toThrow('stripe takes no hmacKey');
  await expect(saved([account])).rejects.toThrow('one JSON object of texts');
});
