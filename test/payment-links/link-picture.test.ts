/** The picture of a link on the real MongoDB: drawn by the pool, or by the API if no pool draws; never twice, never of an old address. */

import { linkPicture } from '../../api/payment-links/link-picture.js';
import { limits } from '../../config/limits.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { createLog } from '../../shared/log.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { createPaymentLinkRepository, type PaymentLinkRepository } from '../../shared/store/payment-link.repository.js';
import { drawForgotten, handleDraw } from '../../workers/qr/draw-link.handler.js';
import { testMongoUri } from '../support/services.js';

let database: Database;
let links: PaymentLinkRepository;
beforeAll(async () => {
  database = await openDatabase(testMongoUri('link_picture'));
  links = createPaymentLinkRepository(database);
});
beforeEach(() => database.collection('payment_links').deleteMany({}));
afterAll(async () => {
  await database?.connection.dropDatabase();
  await database?.close();
});

const config = { publicBaseUrl: 'https://pay.example' } as never;
const address = 'https://pay.example/links/abc';
const now = new Date('2026-01-02T03:04:05Z');

async function made(picture?: PaymentLink['picture']): Promise<PaymentLink> {
  const link = {
    _id: 'link-1',
    externalId: 'abc',
    traceId: 'trace',
    status: 'active',
    createdAt: now,
    ...(picture && { picture }),
  } as PaymentLink;
  await links.insert(link);
  return link;
}
const pictureOf = async () => (await links.findById('link-1'))?.picture;
const pool = () => ({ links, clock: { now: () => now }, log: createLog('test', 'silent') });

/** Builds the API beside a pool that takes nudges, or without a pool. */
function api(takesNudges: boolean) {
  const nudged: object[] = [];
  const nudges = {
    ready: () => takesNudges,
    add: async (_job: object, payload: { linkId: string }) => {
      nudged.push(payload);
      if (takesNudges) await handleDraw(pool(), payload.linkId);
      return takesNudges;
    },
    close: async () => undefined,
  };
  return { deps: { links, nudges: nudges as never, clock: { now: () => now }, config }, nudged };
}

const svg = expect.stringMatching(/^<svg/);

test('a stored picture is served, and no worker is asked to draw', async () => {
  const link = await made({ address, svg: '<svg>stored</svg>' });
  const { deps, nudged } = api(true);
  expect([await linkPicture(deps, link), nudged]).toEqual(['<svg>stored</svg>', []]);
});

test.each([
  ['of an earlier release, without a picture', undefined],
  ['drawn for another address', { address: 'https://old.example/abc', svg: '<svg>old</svg>' }],
  ['not drawn yet', { address, drawAt: now }],
])('the picture of a link %s is drawn by the pool and stored', async (_what, picture) => {
  const link = await made(picture);
  const { deps, nudged } = api(true);
  expect(await linkPicture(deps, link)).toEqual(svg);
  expect(nudged).toEqual([{ linkId: 'link-1', traceId: 'trace' }]);
  expect(await pictureOf()).toEqual({ address, svg });
});

test('without a pool the API draws the picture after a wait, and stores it', async () => {
  const link = await made();
  const startedMs = performance.now();
  expect(await linkPicture(api(false).deps, link)).toEqual(svg);
  expect(performance.now() - startedMs).toBeGreaterThan(limits.linkPictureWaitMs / 2);
  expect(await pictureOf()).toEqual({ address, svg });
});

test('a picture that no nudge reached is drawn by the sweep, once', async () => {
  await made({ address, drawAt: now });
  expect([await drawForgotten(pool()), await drawForgotten(pool())]).toEqual([1, 0]);
  expect(await pictureOf()).toEqual({ address, svg });
});

test('a picture of an address that is not wanted any more is not kept', async () => {
  await made({ address, drawAt: now });
  await links.wantPicture('link-1', 'https://new.example/abc', now);
  await links.savePicture('link-1', address, '<svg>late</svg>');
  expect(await pictureOf()).toEqual({ address: 'https://new.example/abc', drawAt: now });
  // A picture that exists already stays as it is.
  await links.savePicture('link-1', 'https://new.example/abc', '<svg>new</svg>');
  await links.wantPicture('link-1', 'https://new.example/abc', now);
  expect(await pictureOf()).toEqual({ address: 'https://new.example/abc', svg: '<svg>new</svg>' });
});

test('a nudge about a link that is gone or drawn changes nothing', async () => {
  await handleDraw(pool(), 'link-2');
  await made({ address, svg: '<svg>stored</svg>' });
  await handleDraw(pool(), 'link-1');
  expect(await pictureOf()).toEqual({ address, svg: '<svg>stored</svg>' });
});
