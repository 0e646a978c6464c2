/** Within `/v1` only additions are allowed: the API is compared with the last release, `docs/releases/openapi.json`. */
import { readFileSync } from 'node:fs';
import { toOpenApi } from '../../api/http/to-openapi.js';
import { callbacks, endpoints } from '../../api/routes.js';
import { findBreaks, type OpenApi } from '../../scripts/compare-openapi.js';

const current = JSON.parse(JSON.stringify(toOpenApi(endpoints, callbacks))) as OpenApi;
const copy = () => structuredClone(current) as unknown as Record<string, never>;

test('the API breaks nothing of the last release', () => {
  const released = JSON.parse(readFileSync('docs/releases/openapi.json', 'utf8')) as OpenApi;
  expect(Object.keys(released.paths).length).toBeGreaterThan(10);
  expect(findBreaks(released, current)).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: the planted breaks reach into a document of no narrower type.
const planted: [string, (document: any) => void, RegExp][] = [
  ['a path that is gone', (document) => delete document.paths['/v1/payments'], /POST \/v1\/payments is gone/],
  ['a method that is gone', (document) => delete document.paths['/v1/customers'].get, /GET \/v1\/customers is gone/],
  [
    'a field that became required',
    (document) => document.components.schemas.PaymentRequest.required.push('items'),
    /items became required/,
  ],
  [
    'a field of an answer that is gone',
    (document) => delete document.components.schemas.PaymentResponse?.properties.status,
    /status is gone/,
  ],
  [
    'a value that is no longer taken',
    (document) => {
      document.components.schemas.TokenizationSettings.properties.type.enum = ['store'];
    },
    /no longer takes temporal/,
  ],
];

test.each(planted)('%s is detected', (_name, plant, sentence) => {
  const broken = copy();
  plant(broken);
  expect(findBreaks(current, broken as unknown as OpenApi).join('\n')).toMatch(sentence);
});

test('additions break nothing', () => {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const more: any = copy();
  more.paths['/v1/new'] = { get: { responses: { 200: {} } } };
  more.components.schemas.PaymentRequest.properties.extra = { type: 'string' };
  more.components.schemas.Error.properties.code.enum.push('a-new-code');
  expect(findBreaks(current, more)).toEqual([]);
});
