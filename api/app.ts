import http from 'node:http';
import express, { type Express } from 'express';
import type { ApiDeps, HandlerDeps } from './deps.js';
import type { Endpoint } from './http/define-endpoint.js';
import { answerErrors, answerNotFound } from './http/error-middleware.js';
import { mountEndpoints } from './http/mount-endpoint.js';
import { refuseMalformed } from './http/refused-requests.js';
import { securityHeaders } from './http/security-headers.js';
import { startRequest } from './http/start-request.js';
import { type OpenApiDocument, toOpenApi } from './http/to-openapi.js';
import { toOpenApi30 } from './http/to-openapi-30.js';
import { mountPages } from './pages/mount-pages.js';
import { mountReference } from './pages/reference/mount-reference.js';
import { mountUpdates } from './processor-updates/mount-updates.js';
import { callbacks, endpoints } from './routes.js';

/**
 * Defines classes for requests and responses whose prototypes are the ones that Express gives to each of them; the server creates
 * these classes directly (`http/server.ts`). An object that gets its prototype later has a hidden class of its own in V8, so that
 * no look-up of its properties can be cached: that cost a third of the processor time of a request.
 */
function useExpressPrototypes(app: Express): void {
  class AppRequest extends http.IncomingMessage {}
  class AppResponse extends http.ServerResponse<AppRequest> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  app.request = AppRequest.prototype as Express['request'];
  app.response = AppResponse.prototype as Express['response'];
}

/** Creates an Express application that reveals nothing about itself and guesses nothing. */
function bareApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);
  app.set('trust proxy', false);
  useExpressPrototypes(app);
  return app;
}

/**
 * Builds an application with everything that each has: the beginning and the end of every request, and the documents of its endpoints. It
 * does not listen (see `http/server.ts`).
 * @param describe makes the OpenAPI document
 * @param mount mounts the routes of the application
 */
function buildApp(
  deps: ApiDeps,
  describe: () => OpenApiDocument,
  mount: (app: Express, handlerDeps: HandlerDeps) => void,
): Express {
  let document: string | undefined;
  let document30: string | undefined;
  const handlerDeps: HandlerDeps = {
    ...deps,
    openApi() {
      document ??= JSON.stringify(describe());
      return document;
    },
    openApi30() {
      document30 ??= JSON.stringify(toOpenApi30(describe()));
      return document30;
    },
  };
  const app = bareApp();
  app.use(startRequest(deps, securityHeaders()), refuseMalformed);
  mount(app, handlerDeps);
  app.use(answerNotFound);
  app.use(answerErrors(deps.readiness));
  return app;
}

/** Builds the application of the public port: the API, the updates of processors, the hosted pages and the reference. */
export function createApp(deps: ApiDeps): Express {
  const describe = () => toOpenApi(endpoints, callbacks);
  return buildApp(deps, describe, (app, handlerDeps) => {
    mountUpdates(app, handlerDeps);
    mountEndpoints(app, endpoints, handlerDeps);
    mountPages(app, handlerDeps);
    mountReference(app, handlerDeps);
  });
}

/** Builds an application of some endpoints only, for the operator port. */
export function createAppOf(list: readonly Endpoint[], deps: ApiDeps): Express {
  const describe = () => toOpenApi(list);
  return buildApp(deps, describe, (app, handlerDeps) => mountEndpoints(app, list, handlerDeps));
}
