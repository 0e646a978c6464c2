/** Lists take turns: the number of lists that one client reads at once is limited, however large their answers are. */
import type { Schema } from 'joi';
import request from 'supertest';
import { defineEndpoint } from '../../api/http/define-endpoint.js';
import { limits } from '../../config/limits.js';
import { Joi, query } from '../../shared/contract/joi.js';
import { GOOD, testApp } from './app-under-test.js';

let reading = 0;
let most = 0;
let finish: () => void = () => undefined;
const finished = new Promise<void>((resolve) => {
  finish = resolve;
});
const list = (path: string, keys: Record<string, Schema>) =>
  defineEndpoint({
    method: 'get',
    path,
    operationId: path.slice(1),
    summary: 'A list',
    tags: ['test'],
    auth: 'basic',
    merchantScope: 'client',
    request: { query: query(keys) },
    responses: { 200: Joi.any() },
    errors: [],
    async handle() {
      reading += 1;
      most = Math.max(most, reading);
      await finished;
      reading -= 1;
      return {};
    },
  });
const { app } = testApp({}, [list('/list', { size: Joi.int32() }), list('/record', {})]);

test('a client reads two lists at once and the others wait; other requests do not wait', async () => {
  // supertest sends a request only when it is awaited.
  const get = (path: string) =>
    request(app)
      .get(path)
      .set('Authorization', GOOD)
      .then(({ status }) => status);
  const lists = Array.from({ length: 12 }, () => get('/list'));
  while (reading < limits.listsAtOnceMax) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(most).toBe(limits.listsAtOnceMax);
  const record = get('/record');
  while (reading < limits.listsAtOnceMax + 1) await new Promise((resolve) => setTimeout(resolve, 5));
  finish();
  expect([...(await Promise.all(lists)), await record]).toEqual(Array(13).fill(200));
});
