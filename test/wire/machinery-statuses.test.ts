/**
 * The statuses that no flow decides, for every endpoint of the list: too much, the wrong type, too often, a database that
 * is silent, a fault of ours. What an endpoint documents of these is what it answers, as published.
 */

import type { Express } from 'express';
import mongoose from 'mongoose';
import request from 'supertest';
import { createApp } from '../../api/app.js';
import type { ApiDeps } from '../../api/deps.js';
import type { Endpoint } from '../../api/http/define-endpoint.js';
import { errorCodesOfEndpoint } from '../../api/http/to-openapi.js';
import { endpoints } from '../../api/routes.js';
import { limits } from '../../config/limits.js';
import { errorCatalogue } from '../../shared/contract/error-catalogue.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { GOOD, testDeps } from '../http/app-under-test.js';
import { schemaProblems } from '../support/check-answer.js';
import { png } from '../support/pictures.js';
import { maximalBody } from './maximal-bodies.js';

const { mongo } = mongoose;

const appWith = (overrides: Partial<ApiDeps>): Express =>
  createApp(testDeps({ authorizeMerchant: async () => undefined, ...overrides }).deps);

/** The same endpoints, whose flows all do the same. */
const appWhoseFlows = (act: () => never): Express =>
  createApp(
    testDeps({ authorizeMerchant: async () => undefined }).deps,
    endpoints.map((endpoint) => ({
      ...endpoint,
      ...(endpoint.authorizeResource && { authorizeResource: async () => undefined }),
      handle: async () => act(),
    })),
  );

function pathOf(endpoint: Endpoint): string {
  const params = endpoint.examples?.params ?? {};
  return endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${endpoint.operationId} has no example of :${name}`);
    return value;
  });
}

const ask = (app: Express, endpoint: Endpoint) => {
  const asked = request(app)
    [endpoint.method](pathOf(endpoint))
    .query(endpoint.examples?.query ?? {});
  return endpoint.auth === 'none' ? asked : asked.set('authorization', GOOD);
};

/** A request that is let through to the flow. */
function askWell(app: Express, endpoint: Endpoint) {
  const { request: schemas, bodyFormat, operationId } = endpoint;
  if (schemas?.upload) return ask(app, endpoint).attach(schemas.upload.part, png(), 'logo.png');
  if (!schemas?.body) return ask(app, endpoint);
  return ask(app, endpoint)
    .type(bodyFormat === 'form' ? 'form' : 'json')
    .send(maximalBody(operationId));
}

async function expectEnvelope(endpoint: Endpoint, asked: request.Test, status: number, code: string): Promise<void> {
  const answer = await asked;
  const body = endpoint.presentError ? { code } : answer.body;
  expect({ status: answer.status, code: body.code }).toEqual({ status, code });
  expect(schemaProblems(endpoint.method, pathOf(endpoint), answer)).toEqual([]);
}

const rows = endpoints.map((endpoint) => [endpoint.operationId, endpoint] as const);
const withBody = rows.filter(([, { request: schemas }]) => schemas?.body ?? schemas?.upload);
const documenting = (code: string) =>
  rows.filter(([, endpoint]) => errorCodesOfEndpoint(endpoint).includes(code as never));

describe('a body', () => {
  const app = appWith({});
  test.each(withBody)('%s: of another type is 415', async (_id, endpoint) => {
    await expectEnvelope(endpoint, ask(app, endpoint).type('text/plain').send('x'), 415, 'unsupported-media-type');
  });

  test.each(withBody)('%s: that is too large is 413', async (_id, endpoint) => {
    const { upload } = endpoint.request ?? {};
    const tooMuch = 'x'.repeat((upload?.bytesMax ?? limits.jsonBodyBytesMax) + 1);
    const asked = upload
      ? ask(app, endpoint).attach(upload.part, Buffer.from(tooMuch), 'logo.png')
      : ask(app, endpoint)
          .type(endpoint.bodyFormat === 'form' ? 'form' : 'json')
          .send(endpoint.bodyFormat === 'form' ? `a=${tooMuch}` : JSON.stringify({ a: tooMuch }));
    await expectEnvelope(endpoint, asked, 413, 'payload-too-large');
  });
});

describe('too often', () => {
  const tooOften = async (): Promise<never> => {
    throw new GatewayError('too-many-requests', { retryAfterSeconds: 7 });
  };
  const app = appWith({ rateLimits: { admit: tooOften, admitAddress: tooOften } });
  test.each(documenting('too-many-requests'))('%s is 429 with Retry-After', async (_id, endpoint) => {
    const asked = ask(app, endpoint);
    await expectEnvelope(endpoint, asked, 429, 'too-many-requests');
    expect((await asked).headers['retry-after']).toBe('7');
  });
});

/** They call no flow: what they answer is in the process already. */
const WITHOUT_FLOW = ['getHealth', 'getReadiness', 'getOpenApi', 'getOpenApiV1', 'listTestCards'];
const deciding = rows.filter(([operationId]) => !WITHOUT_FLOW.includes(operationId));

describe('a silent database', () => {
  const app = appWhoseFlows(() => {
    throw new mongo.MongoNetworkError('connect ECONNREFUSED');
  });
  test.each(deciding)('%s is 503', async (_id, endpoint) => {
    await expectEnvelope(endpoint, askWell(app, endpoint), 503, 'timeout');
  });
});

describe('a fault of ours', () => {
  const app = appWhoseFlows(() => {
    throw new Error('secret text of ours at /etc/passwd');
  });
  test.each(deciding)('%s is 500 and reveals nothing', async (_id, endpoint) => {
    const asked = askWell(app, endpoint);
    await expectEnvelope(endpoint, asked, 500, 'internal-error');
    expect(JSON.stringify((await asked).body)).not.toMatch(/secret|passwd/);
  });
});

describe('every code that an endpoint declares', () => {
  test.each(deciding)('%s passes it on with its status, as published', async (_id, endpoint) => {
    for (const code of endpoint.errors) {
      const app = appWhoseFlows(() => {
        throw new GatewayError(code);
      });
      await expectEnvelope(endpoint, askWell(app, endpoint), errorCatalogue[code].status, code);
    }
  });
});
