/** Credentials that cannot be correct are refused before they are sealed. */
import { setProcessorCredentials } from '../../scripts/provisioning/processor-credentials.js';
import { adyenCredentials } from '../../shared/processors/adyen/create-adyen-processor.js';
import { account } from '../support/adyen/server.js';

const KEY = account.hmacKey;

async function saved(values: unknown, processor = 'adyen', names: readonly string[] = adyenCredentials) {
  const rows: unknown[] = [];
  const vault = { seal: async () => ({ v: 1 }) as never };
  const credentials = { save: async (row: unknown) => void rows.push(row) };
  const order = { clientId: 'shop', merchantId: 1, processor, names, values, now: new Date(0) };
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

test('texts for other processors are saved unchecked, if exactly the required ones are given', async () => {
  const names = ['secretKey', 'webhookSecret'];
  expect(await saved({ secretKey: 'sk', webhookSecret: 'whsec' }, 'stripe', names)).toHaveLength(1);
  await expect(saved({ secretKey: 'sk' }, 'stripe', names)).rejects.toThrow('stripe needs a text for webhookSecret');
  await expect(saved({ secretKey: 'sk', webhookSecret: 'w', hmacKey: KEY }, 'stripe', names)).rejects.toThrow(
    'stripe takes no hmacKey',
  );
  await expect(saved([account])).rejects.toThrow('one JSON object of texts');
});
