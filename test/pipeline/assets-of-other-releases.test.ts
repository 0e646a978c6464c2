/** A page that a process of another release sent gets its style sheets and scripts from this one. */
import { assetOfBytes, assets } from '../../api/pages/assets.js';
import { createKeptAssets } from '../../api/pages/kept-assets.js';
import { createPageAssetRepository } from '../../shared/store/page-asset.repository.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'otherassets' });
});
afterAll(() => gateway?.close());

const rows = () => gateway.database.collection<{ _id: string; bytes: Buffer }>('pageAssets');
const bytes = Buffer.from('body { color: red }\n');

/** Keeps an asset, as a process of another release does when it starts. */
async function keep(name: string, digest: string): Promise<string> {
  const path = `/assets/${digest}/${name}`;
  const other = [assetOfBytes(path, bytes)];
  await createKeptAssets(createPageAssetRepository(gateway.database), gateway.config.digestKey, () => other).keep();
  return path;
}
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${gateway.baseUrl}${path}`, { headers });

test('a process keeps each of its assets when it starts', async () => {
  const kept = await rows().find({}).toArray();
  expect(kept.map(({ _id }) => _id).sort()).toEqual([...assets().values()].map(({ path }) => path).sort());
});

test.each([
  ['pages.css', 'text/css; charset=utf-8'],
  ['wait.js', 'text/javascript; charset=utf-8'],
  ['gone-since.svg', 'image/svg+xml'],
])('%s of another release is served as an own asset', async (name, type) => {
  const path = await keep(name, 'AAAAaaaa0000-_-_');
  for (const encoding of ['br', 'identity']) {
    const answer = await get(path, { 'accept-encoding': encoding });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    expect(answer.headers.get('cache-control')).toMatch(/immutable/);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
  }
});

test('bytes that no process of the gateway kept are not served', async () => {
  const changed = await keep('pages.css', 'BBBBbbbb0000-_-_');
  await rows().updateOne({ _id: changed }, { $set: { bytes: Buffer.from('body { display: none }') } });
  const moved = '/assets/CCCCcccc0000-_-_/pages.css';
  const row = await rows().findOne({ _id: await keep('pages.css', 'DDDDdddd0000-_-_') });
  await rows().insertOne({ ...row, _id: moved } as never);
  const page = await keep('pages.css', 'EEEEeeee0000-_-_');
  for (const path of [changed, moved, page.replace('E', 'F'), page.replace('.css', '.html'), '/assets/x/pages.css']) {
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  }
});
