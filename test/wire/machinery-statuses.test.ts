/**
 * Statuses that no flow decides, for every endpoint of the list: a body that is too large or of the wrong type, too many requests,
 * a database that does not answer, an internal error. Each endpoint answers with these statuses as it documents them.
 */

import type { Express } from 'express';
import mongoose from 'mongoose';
import request from 'supertest';
import { createApp, createAppOf } from '../../api/app.js';
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

/** Builds an app with the same endpoints, all of whose flows call `act`. */
const appWhoseFlows = (act: () => never): Express =>
  createAppOf(
    endpoints.map((endpoint) => ({
      ...endpoint,
      ...(endpoint.authorizeResource && { authorizeResource: async () => undefined }),
      handle: async () => act(),
    })),
    testDeps({ authorizeMerchant: async () => undefined }).deps,
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

/** Sends a valid request, which reaches the flow. */
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

describe('a request body', () => {
  const app = appWith({});
  test.each(withBody)('%s answers 415 to another type', async (_id, endpoint) => {
    await expectEnvelope(endpoint, ask(app, endpoint).type('text/plain').send('x'), 415, 'unsupported-media-type');
  });

  test.each(withBody)('%s answers 413 if it is too large', async (_id, endpoint) => {
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

describe('too many requests', () => {
  const tooOften = async (): Promise<never> => {
    throw new GatewayError('too-many-requests', { retryAfterSeconds: 7 });
  };
  const app = appWith({ rateLimits: { admit: tooOften, admitAddress: tooOften } });
  test.each(documenting('too-many-requests'))('%s answers 429 with Retry-After', async (_id, endpoint) => {
    const asked = ask(app, endpoint);
    await expectEnvelope(endpoint, asked, 429, 'too-many-requests');
    expect((await asked).headers['retry-after']).toBe('7');
  });
});

/** Operations without a flow: the process has their answers already. */
const WITHOUT_FLOW = ['getHealth', 'getReadiness', 'getOpenApi', 'getOpenApiV1', 'listTestCards'];
const deciding = rows.filter(([operationId]) => !WITHOUT_FLOW.includes(operationId));

describe('an unreachable database', () => {
  const app = appWhoseFlows(() => {
    throw new mongo.MongoNetworkError('connect ECONNREFUSED');
  });
  test.each(deciding)('%s answers 503', async (_id, endpoint) => {
    await expectEnvelope(endpoint, askWell(app, endpoint), 503, 'timeout');
  });
});

describe('an internal error', () => {
  const app = appWhoseFlows(() => {
    throw new Error('secret text of ours at /etc/passwd');
  });
  test.each(deciding)('%s answers 500 and reveals nothing', async (_id, endpoint) => {
    const asked = askWell(app, endpoint);
    await expectEnvelope(endpoint, asked, 500, 'internal-error');
    expect(JSON.stringify((await asked).body)).not.toMatch(/secret|passwd/);
  });
});

describe('every code that an endpoint declares', () => {
  test.each(deciding)('%s answers with its status, as published', async (_id, endpoint) => {
    for (const code of endpoint.errors) {
      const app = appWhoseFlows(() => {
        throw new GatewayError(code);
      });
      await expectEnvelope(endpoint, askWell(app, endpoint), errorCatalogue[code].status, code);
    }
  });
});
