/** Every place of an envelope on the real MongoDB: which records are found, their bindings, and what a new envelope replaces. */
import { limits } from '../../config/limits.js';
import type { Envelope } from '../../shared/domain/payment/payment.js';
import { credentialsBinding } from '../../shared/store/processor-credentials.repository.js';
import {
  createSealedRecordRepository,
  type SealedPlace,
  type SealedRecord,
  sealedPlaces,
} from '../../shared/store/sealed-record.repository.js';
import { OF_LATER_RELEASE, openStore, type Store } from './open-store.js';

const [inPayments, inInstruments, inIntegrations, inCredentials] = sealedPlaces;

let store: Store;
beforeAll(async () => {
  store = await openStore('sealed_records', [
    ...['Payment', 'PaymentInstrument', 'WalletIntegration', 'ProcessorCredentials', 'Merchant'],
  ]);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

let nth = 0;
/** Builds an envelope with an IV of its own. */
function envelope(kid: string): Envelope {
  nth += 1;
  return { v: 2, alg: 'A256GCM', kid, iv: Buffer.from(`iv-${nth}`), ct: Buffer.from(`ct-${nth}`) } as Envelope;
}
/** Returns the bytes of an IV as text, also of the binary type of the driver. */
const bytesOf = (iv: Uint8Array) =>
  String('buffer' in iv && !(iv instanceof Uint8Array) ? (iv as { buffer: Buffer }).buffer : iv);
const put = (collection: string, ...rows: readonly object[]) =>
  store.database.collection<{ _id: string }>(collection).insertMany(rows as never);
const read = (collection: string, _id: string) =>
  store.database.collection<{ _id: string }>(collection).findOne({ _id }) as Promise<Record<string, unknown> | null>;

const records = () => createSealedRecordRepository(store.database);
async function batchesOf(place: SealedPlace): Promise<(readonly SealedRecord[])[]> {
  const batches: (readonly SealedRecord[])[] = [];
  for await (const batch of records().batches(place)) batches.push(batch);
  return batches;
}
/** Returns the bindings without the envelopes, in the order of the batches. */
const bindingsOf = async (place: SealedPlace) =>
  (await batchesOf(place)).flat().map(({ id, binding, envelope: { kid } }) => ({ id, kid, binding }));

const owned = { clientId: 'cli_1', merchantId: 1001 };
const payment = (_id: string, more: object = {}) => ({ _id, ...owned, version: 1, refKeys: [_id], ...more });
const integration = (merchantId: number, ...kids: readonly string[]) => ({
  _id: `${merchantId}:wallet-b-pay`,
  merchantId,
  walletType: 'wallet-b-pay',
  certificates: kids.map((kid) => ({ publicKeyHash: `hash of ${kid}`, privateKey: envelope(kid) })),
});

test('cards of payments and of saved instruments are bound to their merchant and customer', async () => {
  await put('payments', payment('pay_2', { customerId: 'cus_1', card: envelope('card:2') }), payment('pay_none'));
  await put('payments', payment('pay_1', { card: envelope('card:1') }));
  await put('payment_instruments', { _id: 'tok_1', ...owned, clientId: 'cli_2', card: envelope('card:3') });
  expect(await bindingsOf(inPayments)).toEqual([
    {
      ...{ id: 'pay_1', kid: 'card:1' },
      binding: { recordId: 'pay_1', field: 'card', clientId: 'cli_1', owner: { merchantId: 1001 } },
    },
    {
      ...{ id: 'pay_2', kid: 'card:2' },
      binding: {
        recordId: 'pay_2',
        field: 'card',
        clientId: 'cli_1',
        owner: { merchantId: 1001, customerId: 'cus_1' },
      },
    },
  ]);
  expect(await bindingsOf(inInstruments)).toEqual([
    {
      ...{ id: 'tok_1', kid: 'card:3' },
      binding: { recordId: 'tok_1', field: 'card', clientId: 'cli_2', owner: { merchantId: 1001 } },
    },
  ]);
});

test('private keys of wallets are bound to the client of their merchant, and those of one integration follow each other', async () => {
  await put('merchants', { _id: 1001, clientId: 'cli_1' }, { _id: 1002, clientId: 'cli_2' });
  await put('wallet_integrations', integration(1001, 'wallet:1', 'wallet:2'), integration(1002, 'wallet:3'));
  await put('wallet_integrations', { _id: '1001:wallet-a-pay', merchantId: 1001, walletType: 'wallet-a-pay' });
  const expected = (merchantId: number, clientId: string, kid: string) => ({
    ...{ id: `${merchantId}:wallet-b-pay`, kid },
    binding: { recordId: `${merchantId}:wallet-b-pay:hash of ${kid}`, field: 'privateKey', clientId },
  });
  expect(await bindingsOf(inIntegrations)).toEqual([
    expected(1001, 'cli_1', 'wallet:1'),
    expected(1001, 'cli_1', 'wallet:2'),
    expected(1002, 'cli_2', 'wallet:3'),
  ]);
});

test('credentials of processors have the binding that their users expect', async () => {
  const row = { _id: '1001:sandbox', ...owned, processor: 'sandbox', names: ['key'], sealed: envelope('wallet:1') };
  await put('processor_credentials', row);
  expect(await bindingsOf(inCredentials)).toEqual([{ id: row._id, kid: 'wallet:1', binding: credentialsBinding(row) }]);
});

test.each([
  [0, []],
  [limits.reencryptBatch, [limits.reencryptBatch]],
  [limits.reencryptBatch + 1, [limits.reencryptBatch, 1]],
])('%d records come in batches of %j, in the order of their ids', async (count, sizes) => {
  const ids = Array.from({ length: count }, (_, at) => `pay_${String(at).padStart(6, '0')}`);
  const rows = ids.map((_id) => payment(_id, { card: envelope('card:1') }));
  if (count > 0) await put('payments', ...rows.reverse());
  const batches = await batchesOf(inPayments);
  expect(batches.map(({ length }) => length)).toEqual(sizes);
  expect(batches.flat().map(({ id }) => id)).toEqual(ids);
});

test('in each place a new envelope replaces the one that was read, and nothing else changes', async () => {
  await put('merchants', { _id: 1001, clientId: 'cli_1' });
  const stored: Record<string, Record<string, unknown>> = {
    payments: payment('pay_1', { card: envelope('card:1') }),
    payment_instruments: { _id: 'tok_1', ...owned, card: envelope('card:1') },
    processor_credentials: { _id: '1001:sandbox', ...owned, names: ['key'], sealed: envelope('wallet:1') },
  };
  for (const [collection, row] of Object.entries(stored)) await put(collection, row);
  for (const place of [inPayments, inInstruments, inCredentials]) {
    const [before] = (await batchesOf(place)).flat() as [SealedRecord];
    const next = envelope('card:2');
    expect(await records().replace(place, [{ before, envelope: next }])).toBe(1);
    const found = await read(place.collection, before.id);
    expect(found).toMatchObject({ ...stored[place.collection], [place.path]: { kid: 'card:2' } });
  }
});

test('only the certificate that was read is replaced among several', async () => {
  await put('merchants', { _id: 1001, clientId: 'cli_1' });
  await put('wallet_integrations', integration(1001, 'wallet:1', 'wallet:2', 'wallet:3'));
  const [, second] = (await batchesOf(inIntegrations)).flat() as [SealedRecord, SealedRecord];
  expect(await records().replace(inIntegrations, [{ before: second, envelope: envelope('wallet:4') }])).toBe(1);
  const kids = (await bindingsOf(inIntegrations)).map(({ kid }) => kid);
  expect(kids).toEqual(['wallet:1', 'wallet:4', 'wallet:3']);
});

test('each of several certificates under one data key gets its own envelope', async () => {
  await put('merchants', { _id: 1001, clientId: 'cli_1' });
  await put('wallet_integrations', integration(1001, 'wallet:1', 'wallet:1', 'wallet:1'));
  const found = (await batchesOf(inIntegrations)).flat();
  const changes = found.map((before) => ({ before, envelope: envelope('wallet:2') }));
  expect(await records().replace(inIntegrations, [...changes].reverse())).toBe(3);
  const stored = (await batchesOf(inIntegrations)).flat().map(({ envelope: { iv } }) => bytesOf(iv));
  expect(stored).toEqual(changes.map(({ envelope: { iv } }) => bytesOf(iv)));
});

test('an envelope that was changed or removed is not replaced, and does not block the others', async () => {
  const names = ['pay_1', 'pay_2', 'pay_3', 'pay_4'];
  await put('payments', ...names.map((name) => payment(name, { card: envelope('card:1') })));
  const found = (await batchesOf(inPayments)).flat();
  const payments = store.database.collection<{ _id: string; card: Envelope }>('payments');
  const [first, second] = found as [SealedRecord, SealedRecord];
  // Another writer sealed two cards: the first under the same key, the second under another key with equal bytes.
  await payments.updateOne({ _id: 'pay_1' }, { $set: { card: envelope('card:1') } });
  await payments.updateOne({ _id: 'pay_2' }, { $set: { card: { ...second.envelope, kid: 'card:9' } } });
  await payments.updateOne({ _id: 'pay_3' }, { $unset: { card: '' } } as never);
  const changes = found.map((before) => ({ before, envelope: envelope('card:2') }));
  expect(await records().replace(inPayments, changes)).toBe(1);
  expect((await bindingsOf(inPayments)).map(({ id, kid }) => [id, kid])).toEqual([
    ['pay_1', 'card:1'],
    ['pay_2', 'card:9'],
    ['pay_4', 'card:2'],
  ]);
  expect(first.envelope.kid).toBe('card:1');
  expect(await records().replace(inPayments, [])).toBe(0);
});

test('the data keys of every place are listed, also of records of a later release', async () => {
  await put('payments', payment('pay_1', { card: envelope('card:1') }), payment('pay_2'));
  await put('payments', payment('pay_3', { schemaVersion: OF_LATER_RELEASE, card: envelope('card:2') }));
  await put('payment_instruments', { _id: 'tok_1', ...owned, card: envelope('card:3') });
  await put('wallet_integrations', integration(1001, 'wallet:1', 'wallet:2'));
  await put('processor_credentials', { _id: '1001:sandbox', ...owned, sealed: envelope('wallet:3') });
  const ids = await records().dataKeyIds();
  expect([...ids].sort()).toEqual(['card:1', 'card:2', 'card:3', 'wallet:1', 'wallet:2', 'wallet:3']);
});
