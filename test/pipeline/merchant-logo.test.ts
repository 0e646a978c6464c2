import { request as httpRequest } from 'node:http';
import { limits } from '../../config/limits.js';
import { systemClock } from '../../shared/clock.js';
import { createAuditRepository } from '../../shared/store/audit.repository.js';
import { schemaProblems } from '../support/check-answer.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { PATIENCE_MS } from '../support/patience.js';
import { accepted, jpeg, png, pngChunk, pngData, pngOf, refused, SCRIPT, webp } from '../support/pictures.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'logo', pools: [] });
});
afterAll(() => gateway?.close());

const call: TestGateway['call'] = (...request) => gateway.call(...request);
const logoOf = (merchantId: number) => `/v1/merchants/${merchantId}/profile/logo`;

/** Sends a multipart body. A string is sent unchanged. */
async function send(merchantId: number, body: FormData | string, headers: Record<string, string> = {}) {
  const { clientId, apiKey } = gateway.sandbox;
  const response = await fetch(`${gateway.baseUrl}${logoOf(merchantId)}`, {
    method: 'PUT',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`, ...headers },
    body,
  });
  const answer = { status: response.status, body: JSON.parse(await response.text()), headers: response.headers };
  expect(schemaProblems('PUT', logoOf(merchantId), answer)).toEqual([]);
  return answer;
}

function formOf(file: Uint8Array, { type = 'image/png', part = 'file', name = 'logo.png' } = {}) {
  const form = new FormData();
  form.append(part, new Blob([Uint8Array.from(file)], { type }), name);
  return form;
}

const upload = (file: Uint8Array, type?: string, merchantId = 1001) =>
  send(merchantId, formOf(file, type === undefined ? {} : { type }));
const pathOf = (logoUrl: string) => logoUrl.replace(gateway.config.publicBaseUrl, '');

test('a logo is uploaded, shown on the merchant record, and served only as a picture', async () => {
  const uploaded = await upload(png());
  expect(uploaded.status).toBe(200);
  expect(uploaded.body).toEqual({
    logoUrl: expect.stringMatching(/\/v1\/public\/merchants\/1001\/logo\/[0-9a-f]{32}\.png$/),
    logoContentType: 'image/png',
    logoUploadedAt: expect.stringMatching(/Z$/),
  });
  expect((await call('GET', '/v1/merchants/1001')).body).toMatchObject(uploaded.body);
  expect((await call('GET', '/v1/merchants')).body).toContainEqual(expect.objectContaining(uploaded.body));

  const served = await fetch(`${gateway.baseUrl}${pathOf(uploaded.body.logoUrl)}`);
  expect(served.status).toBe(200);
  expect(Buffer.from(await served.arrayBuffer()).equals(png())).toBe(true);
  expect(Object.fromEntries(served.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'public, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'cross-origin',
  });
  const audit = createAuditRepository(gateway.database, systemClock);
  const [entry] = await audit.find({ clientId: gateway.sandbox.clientId, outcome: 'done' });
  expect(entry).toMatchObject({ action: 'logo.replaced', object: '1001/logo', merchantId: 1001, outcome: 'done' });
});

test.each(refused)('%s is refused, with any declared type', async (_name, file, problem) => {
  const before = (await call('GET', '/v1/merchants/1002')).body;
  for (const type of ['image/png', 'image/svg+xml']) {
    const answer = await upload(file, type, 1002);
    expect(answer).toMatchObject({ status: 400, body: { code: 'request-validation-errors' } });
    expect(answer.body.params.file).toEqual([`"file" ${problem}`]);
  }
  expect((await call('GET', '/v1/merchants/1002')).body).toEqual(before);
});

test.each(accepted)('%s is accepted with any declared type, and served cleaned', async (_name, file, type, left) => {
  for (const declared of ['text/html', 'application/octet-stream']) {
    const answer = await upload(file, declared);
    expect([answer.status, answer.body.logoContentType]).toEqual([200, `image/${type}`]);
    const served = await fetch(`${gateway.baseUrl}${pathOf(answer.body.logoUrl)}`);
    expect(served.headers.get('content-type')).toBe(`image/${type}`);
    const bytes = Buffer.from(await served.arrayBuffer());
    expect({ asLeft: bytes.equals(left), script: bytes.includes(SCRIPT) }).toEqual({ asLeft: true, script: false });
  }
});

test('a new logo has a new address, and of the earlier logos only the last one is kept', async () => {
  const urls: string[] = [];
  for (const file of [png(), jpeg(), webp()]) urls.push((await upload(file)).body.logoUrl);
  const statuses = await Promise.all(urls.map(async (url) => (await fetch(`${gateway.baseUrl}${pathOf(url)}`)).status));
  expect(new Set(urls).size).toBe(3);
  expect(statuses).toEqual([404, 200, 200]);
  expect(await gateway.database.collection('merchantLogos').countDocuments({ merchantId: 1001 })).toBe(2);
});

test('after several uploads at once the record shows a logo that is served', async () => {
  const files = Array.from({ length: 6 }, (_, index) => pngOf(pngChunk('pHYs', Buffer.alloc(9, index)), pngData()));
  const answers = await Promise.all(files.map((file) => upload(file)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  const { logoUrl } = (await call('GET', '/v1/merchants/1001')).body;
  expect((await fetch(`${gateway.baseUrl}${pathOf(logoUrl)}`)).status).toBe(200);
});

test('a changed address of a logo is not found', async () => {
  const { logoUrl } = (await upload(png())).body;
  const path = pathOf(logoUrl);
  for (const wrong of [
    path.replace('/1001/', '/1002/'),
    path.replace('/1001/', '/01001/'),
    path.replace('/1001/', '/%7B%22$gt%22:0%7D/'),
    path.replace(/\.png$/, '.jpg'),
    path.replace(/\.png$/, '.svg'),
    path.replace(/\.png$/, '.png.html'),
    path.replace(/[0-9a-f]{32}/, '0'.repeat(32)),
    path.replace(/[0-9a-f]{32}/, '..%2f..%2fetc'),
  ]) {
    const answer = await call('GET', wrong, undefined, { auth: null });
    expect([wrong, answer.status, answer.body.code]).toEqual([wrong, 404, 'not-found']);
  }
});

/** Starts an upload that never ends. Returns its answer and the time until then (ms). */
async function uploadWithoutEnd() {
  const { clientId, apiKey } = gateway.sandbox;
  const startedAt = Date.now();
  const answer = await new Promise<{ status: number | undefined; connection: string | undefined }>(
    (resolve, reject) => {
      const sent = httpRequest(`${gateway.baseUrl}${logoOf(1001)}`, {
        method: 'PUT',
        auth: `${clientId}:${apiKey}`,
        headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': '1000' },
      });
      sent.once('response', (response) =>
        resolve({ status: response.resume().statusCode, connection: response.headers.connection }),
      );
      sent.once('error', reject);
      sent.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nslow');
    },
  );
  return { ...answer, afterMs: Date.now() - startedAt };
}

describe('the multipart body', () => {
  let unfinished: ReturnType<typeof uploadWithoutEnd>;
  // The time limit of this upload runs while the other tests do.
  beforeAll(() => {
    unfinished = uploadWithoutEnd();
    unfinished.catch(() => undefined);
  });

  const part = (name: string, file = png().toString('latin1')) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\n\r\n${file}\r\n`;
  const raw = (body: string, type = 'multipart/form-data; boundary=b') => send(1001, body, { 'content-type': type });

  test.each<[string, string, string]>([
    ['without the part', '--b--\r\n', 'file'],
    ['with another part', `${part('logo')}--b--\r\n`, 'body'],
    ['with two files', `${part('file')}${part('file')}--b--\r\n`, 'file'],
    [
      'with a field beside it',
      `--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n${part('file')}--b--\r\n`,
      'body',
    ],
    ['with the file as a field', '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc\r\n--b--\r\n', 'body'],
    ['that does not end', part('file'), 'body'],
    ['that is none', 'hello', 'body'],
  ])('%s is refused', async (_name, body, field) => {
    const answer = await raw(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'request-validation-errors' } });
    expect(Object.keys(answer.body.params)).toEqual([field]);
  });

  test('needs a boundary of 1 to 70 characters', async () => {
    expect((await raw('--b--', 'multipart/form-data; charset=x')).status).toBe(400);
    const long = await raw('--b--', `multipart/form-data; boundary=${'b'.repeat(71)}`);
    expect(long).toMatchObject({ status: 400, body: { params: { body: [expect.stringContaining('boundary')] } } });
  });

  test.each([
    ['application/json', {}],
    ['image/png', {}],
    ['application/x-www-form-urlencoded', {}],
    ['multipart/mixed; boundary=b', {}],
    ['multipart/form-data; boundary=b', { 'content-encoding': 'gzip' }],
  ])('of type %s %j is refused with 415', async (type, more) => {
    const answer = await send(1001, '{}', { 'content-type': type, ...more });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported-media-type' } });
  });

  test('may hold a file of 1 MB and not a byte more', async () => {
    const fill = (length: number) => pngOf(pngChunk('IDAT', Buffer.alloc(length - pngOf().length - 12, 1)));
    const most = fill(limits.logoBytesMax);
    expect([most.length, (await upload(most)).status]).toEqual([limits.logoBytesMax, 200]);
    const more = await upload(fill(limits.logoBytesMax + 1));
    expect(more).toMatchObject({ status: 413, body: { code: 'payload-too-large' } });
  });

  test('with a far too large Content-Length is refused before it is sent', async () => {
    const { clientId, apiKey } = gateway.sandbox;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest(`${gateway.baseUrl}${logoOf(1001)}`, {
        method: 'PUT',
        auth: `${clientId}:${apiKey}`,
        headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': String(10 * 1024 ** 3) },
      });
      sent.once('response', (response) => resolve(response.resume().statusCode));
      sent.once('error', reject);
      sent.flushHeaders();
    });
    expect(status).toBe(413);
  });

  test('that does not arrive in time is refused, and its connection is closed', async () => {
    const { status, connection, afterMs } = await unfinished;
    expect([status, connection]).toEqual([400, 'close']);
    expect(afterMs).toBeLessThan(limits.uploadMs + PATIENCE_MS);
  });
});
