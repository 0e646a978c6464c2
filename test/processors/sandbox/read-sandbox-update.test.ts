/** Updates in the name of the test processor: only signed ones are accepted. */
import {
  createSandboxUpdateReader,
  signSandboxUpdate,
} from '../../../shared/processors/sandbox/read-sandbox-update.js';
import { createUpdateReaders, type UpdateConfig } from '../../../shared/processors/update-readers.js';

const SECRET = 'whsec_sandbox';
const now = new Date('2026-11-01T12:00:00Z');
const SECONDS = now.getTime() / 1000;
const reader = createSandboxUpdateReader(SECRET);

const answer = {
  key: 'txn_1',
  amountMinor: 1_000,
  currency: 'USD',
  result: 'approved',
  resultCode: '00',
  resultMessage: 'Approved',
};
const dispute = { disputeId: 'dp_1', status: 'open', amountMinor: 1_000, currency: 'USD', reason: 'fraudulent' };
const updates = [
  { id: 'evt_1', type: 'outcome', answer },
  { id: 'evt_2', type: 'changed', key: 'txn_1' },
  { id: 'evt_3', type: 'refund-failed', key: 'txn_2', resultCode: '57', resultMessage: 'Account closed' },
  { id: 'evt_4', type: 'dispute', key: 'txn_1', ...dispute },
];

function read(body: string, header: string | undefined = signSandboxUpdate(SECRET, body, SECONDS)) {
  const headers = header === undefined ? {} : { 'x-sandbox-signature': header };
  return reader.read({ body: Buffer.from(body), headers, now });
}

test('every update of a signed list is read as its kind', () => {
  expect(read(JSON.stringify({ updates }))).toMatchObject({
    kind: 'verified',
    updates: [
      { kind: 'outcome', eventId: 'evt_1', key: 'txn_1', outcome: { kind: 'approved', about: { amountMinor: 1_000 } } },
      { kind: 'changed', eventId: 'evt_2', key: 'txn_1' },
      { kind: 'refund-failed', eventId: 'evt_3', key: 'txn_2', resultCode: '57' },
      { kind: 'dispute', eventId: 'evt_4', key: 'txn_1', ...dispute },
    ],
  });
});

const body = JSON.stringify({ updates });
test.each([
  ['none', ''],
  ['of another secret', signSandboxUpdate('whsec_other', body, SECONDS)],
  ['of another body', signSandboxUpdate(SECRET, `${body} `, SECONDS)],
  ['too old', signSandboxUpdate(SECRET, body, SECONDS - 301)],
  ['of the future', signSandboxUpdate(SECRET, body, SECONDS + 301)],
  ['written in another way', signSandboxUpdate(SECRET, body, SECONDS).replace('t=', 't=0')],
  ['no signature at all', 'garbage'],
])('an update is unverified if its signature is %s', (_name, header) => {
  expect(read(body, header)).toMatchObject({ kind: 'unverified' });
});

test.each([
  ['no JSON', '{'],
  ['another shape', '[]'],
  ['an unknown type', JSON.stringify({ updates: [{ id: 'evt_1', type: 'other' }] })],
  ['an outcome without an answer', JSON.stringify({ updates: [{ id: 'evt_1', type: 'outcome', answer: {} }] })],
])('a signed body with %s is unreadable', (_name, text) => {
  expect(read(text)).toMatchObject({ kind: 'unreadable' });
});

test('a card number in a text of an update is masked before the update is stored', async () => {
  const quoted = 'Card 4242424242424242';
  const body = JSON.stringify({
    updates: [
      { id: 'evt_1', type: 'outcome', answer: { ...answer, resultMessage: quoted } },
      { id: 'evt_3', type: 'refund-failed', key: 'txn_2', resultCode: '57', resultMessage: quoted },
      { id: 'evt_4', type: 'dispute', key: 'txn_1', ...dispute, reason: quoted },
    ],
  });
  const headers = { 'x-sandbox-signature': signSandboxUpdate(SECRET, body, SECONDS) };
  const readers = createUpdateReaders({ sandboxUpdateSecret: SECRET } as UpdateConfig);
  expect(await readers.get('sandbox')?.read({ body: Buffer.from(body), headers, now })).toMatchObject({
    kind: 'verified',
    updates: [
      { outcome: { resultMessage: 'Card [digits]' } },
      { resultMessage: 'Card [digits]' },
      { reason: 'Card [digits]' },
    ],
  });
});
