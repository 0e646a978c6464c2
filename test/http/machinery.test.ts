import request from 'supertest';
import { limits } from '../../config/limits.js';
import { GOOD, postEcho, testApp } from './app-under-test.js';

const { app, lines } = testApp();
const post = () => request(app).post('/v1/echo').set('Authorization', GOOD);
// The bytes are sent as they are: supertest would encode a Buffer as JSON.
const json = (text: string | Buffer) =>
  post()
    .set('Content-Type', 'application/json')
    .serialize((sent) => sent)
    .send(text as string);
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

beforeEach(() => lines.splice(0));

describe('authentication', () => {
  test('comes before the body: a wrong key learns nothing about a broken or huge body', async () => {
    for (const sent of ['{', 'x'.repeat(limits.jsonBodyBytesMax + 1)]) {
      const answer = await request(app)
        .post('/v1/echo')
        .set('Authorization', 'Basic eDp5')
        .set('Content-Type', 'application/json')
        .send(sent);
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
    }
  });

  test('two Authorization headers are refused even if the first is valid', async () => {
    const answer = await request(app)
      .post('/v1/echo')
      .set({ Authorization: [GOOD, GOOD] as unknown as string })
      .send({ merchantId: 7 });
    expect(answer.status).toBe(401);
  });

  test('a foreign merchant is 403, an unknown one 400', async () => {
    expect((await post().send({ merchantId: 8 })).body).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await post().send({ merchantId: 404 })).body).toMatchObject({ status: 400, code: 'merchant-not-found' });
  });
});

test('an idempotent endpoint about an object cannot be mounted without a check of who may see the object', () => {
  const unguarded = {
    ...postEcho,
    path: '/v1/echo/:id',
    operationId: 'echoThing',
    idempotent: true,
    merchantScope: 'resource',
  } as const;
  expect(() => testApp({}, [unguarded])).toThrow('echoThing is idempotent and about an object');
  expect(() => testApp({}, [{ ...unguarded, authorizeResource: async () => undefined }])).not.toThrow();
});

describe('a valid request', () => {
  test('reaches the handler with converted values', async () => {
    const answer = await request(app)
      .post('/v1/echo?n=5&unknown=1')
      .set('Authorization', GOOD)
      .send({ merchantId: '7', name: null, amount: 10.5, at: '2030-01-31T12:00:00-03:00', metadata: { a: 'b' } });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      client: 'cli_1',
      query: { n: 5 },
      body: { merchantId: 7, amount: '10.5', at: '2030-01-31T15:00:00.000Z', metadata: { a: 'b' } },
    });
  });

  test('takes the last of two equal JSON keys', async () => {
    expect((await json('{"merchantId":8,"merchantId":7}')).body.body).toEqual({ merchantId: 7 });
  });

  test('may have a content type with a charset', async () => {
    expect(
      (await post().set('Content-Type', 'application/json; charset="UTF-8"').send('{"merchantId":7}')).status,
    ).toBe(200);
  });
});

describe('media type and size', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json; charset=utf-16',
    'application/json, text/plain',
  ])('content type %s is 415', async (type) => {
    const answer = await post().set('Content-Type', type).send('{"merchantId":7}');
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported-media-type']);
  });

  test.each(['gzip', 'deflate', 'br', 'zstd', 'identity, gzip'])('content encoding %s is 415', async (encoding) => {
    expect(
      (await post().set('Content-Type', 'application/json').set('Content-Encoding', encoding).send('{}')).status,
    ).toBe(415);
  });

  test('one byte over 64 kB is 413, 64 kB are read', async () => {
    const frame = '{"merchantId":7,"open":""}';
    const of = (bytes: number) => frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
    expect((await json(of(limits.jsonBodyBytesMax))).status).toBe(200);
    // supertest sends `Connection: close` by default; a real client keeps its connection.
    const over = await json(of(limits.jsonBodyBytesMax + 1)).set('Connection', 'keep-alive');
    expect((await post().set('Connection', 'keep-alive').send({ merchantId: 7 })).headers['connection']).toBe(
      'keep-alive',
    );
    expect([over.status, over.body.code]).toEqual([413, 'payload-too-large']);
    expect(over.headers['connection']).toBe('close');
  });
});

describe('malformed JSON', () => {
  test.each<[string, string | Buffer]>([
    ['cut off', '{"merchantId":'],
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"merchantId":7}')])],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from('{"merchantId":7,"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    ],
    ['NaN', '{"merchantId":NaN}'],
    ['no object', '"text"'],
    ['an array', '[1]'],
    ['nothing', ''],
    ['null', 'null'],
    ['65,000 brackets', '['.repeat(65_000)],
  ])('%s is 400 for the body, and nothing of it is quoted', async (_name, sent) => {
    const answer = await json(sent);
    expect(answer.body).toMatchObject({
      status: 400,
      code: 'request-validation-errors',
      type: 'invalid-request-error',
    });
    expect(Object.keys(answer.body.params)).toEqual(['body']);
    expect(JSON.stringify(answer.body)).not.toContain('Unexpected');
  });

  test('depth 10 is accepted, and depth 11 is refused', async () => {
    expect((await json(JSON.stringify({ merchantId: 7, open: nested(limits.jsonDepthMax - 1) }))).status).toBe(200);
    expect((await json(JSON.stringify({ merchantId: 7, open: nested(limits.jsonDepthMax) }))).status).toBe(400);
  });

  test('an array of 200 items is accepted, and one of 201 is refused by name', async () => {
    const of = (length: number) => JSON.stringify({ merchantId: 7, items: new Array(length).fill(1) });
    expect((await json(of(limits.arrayItemsMax))).status).toBe(200);
    expect(Object.keys((await json(of(limits.arrayItemsMax + 1))).body.params)).toEqual(['items']);
  });

  test.each(['{"merchantId":7,"__proto__":{"x":1}}', '{"merchantId":7,"open":{"deep":[{"__proto__":1}]}}'])(
    '__proto__ is refused by name: %s',
    async (sent) => {
      const answer = await json(sent);
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body.params).join()).toMatch(/__proto__$/);
      expect(({} as { x?: unknown }).x).toBeUndefined();
    },
  );
});

describe('validation', () => {
  test('all unknown fields are named', async () => {
    const { body } = await post().send({ merchantId: 7, nam: 'x', card: { number: '1', cvv: '2' } });
    expect(body.code).toBe('request-validation-errors');
    expect(Object.keys(body.params).sort()).toEqual(['card.cvv', 'nam']);
  });

  test('one wrong field has its own code; two wrong fields, or a missing one, are request-validation-errors', async () => {
    expect((await post().send({ merchantId: 7, card: { number: 'x' } })).body).toMatchObject({
      code: 'invalid-card-number',
      type: 'card-error',
      params: { 'card.number': [expect.any(String)] },
    });
    const two = await post().send({ merchantId: 7, card: { number: 'x', year: 'y' } });
    expect([two.body.code, Object.keys(two.body.params)]).toEqual([
      'request-validation-errors',
      ['card.number', 'card.year'],
    ]);
    for (const number of [undefined, null, '']) {
      expect((await post().send({ merchantId: 7, card: { number } })).body.code).toBe('request-validation-errors');
    }
  });

  test('errors of query and body are in one answer', async () => {
    const { body } = await request(app).post('/v1/echo?n=x').set('Authorization', GOOD).send({ merchantId: 'x' });
    expect(Object.keys(body.params).sort()).toEqual(['merchantId', 'n']);
  });

  test('no value of the request is repeated in the answer or the log', async () => {
    const secret = '4242424242424242zz';
    const sent = {
      merchantId: secret,
      name: `${secret}${secret}`,
      amount: secret,
      at: secret,
      card: { number: secret, year: secret },
      metadata: { a: { b: secret } },
      [secret]: 1,
    };
    const answer = await post().send(sent);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body) + JSON.stringify(lines)).not.toContain('42424242');
  });
});

describe('query', () => {
  test.each(['n=1&n=2', 'n[$ne]=1', 'n[]=1', 'x[a]=1', 'n=1&n[0]=2'])('?%s is 400', async (search) => {
    const answer = await request(app).get(`/v1/things/query?${search}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'request-validation-errors']);
  });
  test('more parameters than are read are refused: one of those beyond them could be a filter', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`).join('&');
    expect((await request(app).get(`/v1/things/query?${many(1_000)}`)).body).toEqual({ fixed: true });
    const answer = await request(app).get(`/v1/things/query?${many(1_000)}&n=1&n=2`);
    expect([answer.status, answer.body.params]).toEqual([400, { query: ['must have at most 1000 parameters'] }]);
  });
  test('a parameter that is read and is not UTF-8 is refused by name', async () => {
    const send = (search: string) => request(app).post(`/v1/echo?${search}`).set('Authorization', GOOD).send({});
    expect((await send('n=Espa%F1a')).body.params).toEqual({ n: ['must be UTF-8, percent-encoded'] });
    expect((await send('n=Espa%C3%B1a')).body.params).not.toEqual({ n: ['must be UTF-8, percent-encoded'] });
    expect((await request(app).get('/v1/things/query?utm=Espa%F1a&%F1=1')).body).toEqual({ fixed: true });
  });
  test('unknown parameters are ignored', async () => {
    expect((await request(app).get('/v1/things/query?a=1&b=2')).body).toEqual({ fixed: true });
  });
});

describe('routes', () => {
  test('a fixed segment takes precedence over a parameter', async () => {
    expect((await request(app).get('/v1/things/abc')).body).toEqual({ id: 'abc' });
    expect((await request(app).get('/v1/things/query')).body).toEqual({ fixed: true });
  });
  test('an unknown path or another case is 404 with the envelope', async () => {
    for (const path of ['/nope', '/V1/ECHO', '/v1/things']) {
      expect((await request(app).get(path)).body).toMatchObject({
        status: 404,
        code: 'not-found',
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      });
    }
  });
  test.each(['get', 'put', 'patch', 'options'] as const)(
    '%s on a path with only POST is 405 with Allow',
    async (method) => {
      const answer = await request(app)[method]('/v1/echo');
      expect([answer.status, answer.headers['allow'], answer.body.code]).toEqual([405, 'POST', 'method-not-allowed']);
    },
  );
  test('Allow has HEAD beside GET, and HEAD is answered without a body', async () => {
    expect((await request(app).post('/v1/things/x')).headers['allow']).toBe('GET, HEAD');
    const head = await request(app).head('/v1/things/x');
    expect([head.status, head.text]).toEqual([200, undefined]);
  });
  test('broken percent-encoding in a path is 400', async () => {
    expect((await request(app).get('/v1/things/%ff')).body.code).toBe('request-validation-errors');
  });
});
