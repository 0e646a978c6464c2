/** `/reference/v2` and `/reference/v1`: the API reference with swagger-ui, served from our own files, and `/`, which links to them. */
import type { Application, Response } from 'express';
import type { HandlerDeps } from '../../deps.js';
import { stateOf } from '../../http/request-state.js';
import { send } from '../../http/send.js';
import { assetPath } from '../assets.js';
import { attribute, type Html, html } from '../html.js';
import { textsOf } from '../language.js';
import { mountSandbox } from '../sandbox/mount-sandbox.js';
import { readSandbox } from '../sandbox/read-sandbox.js';
import type { SandboxFile } from '../sandbox/sandbox-file.js';
import { siteOf } from '../site.js';
import { type Page, page, slip } from '../views/layout.view.js';
import { serveSwaggerFile } from './swagger-files.js';

/** swagger-ui has its pictures in its style sheet and sets styles on its elements by script, so no style is inline. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const versions = {
  v2: { document: '/openapi/v2.json', name: 'OpenAPI 3.1' },
  v1: { document: '/openapi/v1.json', name: 'OpenAPI 3.0' },
} as const;

function sendHtml(response: Response, text: string): void {
  send(response, 200, text, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY });
}

const reference =
  (shown: string) =>
  ([version, { name }]: [string, { readonly name: string }]): Html =>
    html` <a href="/reference/${version}"${attribute('aria-current', name === shown ? 'page' : undefined)}>${name}</a>`;

/** @param sandbox its credentials are filled in, so that each operation can be tried at once. */
const referencePage = ({ document, name }: (typeof versions)[keyof typeof versions], sandbox?: SandboxFile): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference (${name})</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/reference/files/swagger-ui.css">
<link rel="stylesheet" href="${assetPath('reference.css')}">
</head>
<body>
<header class="reference-bar"><a class="brand" href="/">Gateway</a>
<nav aria-label="Main"><a href="/">${sandbox ? 'Sandbox' : 'Start'}</a>${Object.entries(versions).map(reference(name))}</nav></header>
<div id="swagger-ui" data-document="${document}"${attribute('data-client-id', sandbox?.clientId)}${attribute('data-api-key', sandbox?.apiKey)}></div>
<noscript><p>The reference needs JavaScript. The document itself: <a href="${document}">${document}</a></p></noscript>
<script src="/reference/files/swagger-ui-bundle.js"></script>
<script src="${assetPath('reference.js')}"></script>
</body>
</html>
`.text;

/** Renders the page at `/`: what this server is, and where its documents are. */
function landingPage({ environment, sandboxFile, publicBaseUrl }: HandlerDeps['config']): Page {
  const sheet = html`<h1>Payment gateway</h1>
<p class="soft">This is the ${environment} environment. Integrators call it over REST; payers come here from a shop.</p>
<ul class="stack">
${sandboxFile !== undefined && html`<li><a href="${publicBaseUrl}/">Start page of the sandbox</a>, at its own address</li>`}
<li><a href="/reference/v2">API reference, OpenAPI 3.1</a>, to read and to try out</li>
<li><a href="/reference/v1">API reference, OpenAPI 3.0</a>, the same operations</li>
<li><a href="/openapi/v2.json">openapi/v2.json</a> and <a href="/openapi/v1.json">openapi/v1.json</a>, for tools</li>
</ul>`;
  return page({
    language: 'en',
    title: `Payment gateway. ${textsOf.en.reference}`,
    body: slip({ language: 'en', sheet }),
  });
}

/** Mounts the reference. It is public, like the documents themselves. */
export function mountReference(app: Application, deps: HandlerDeps): void {
  const { config } = deps;
  for (const [version, about] of Object.entries(versions)) {
    const path = `/reference/${version}`;
    app.get(path, async (request, response) => {
      stateOf(response).route = path;
      sendHtml(response, referencePage(about, await readSandbox(request, config)));
    });
  }
  mountSandbox(app, deps, (_request, response) => sendHtml(response, landingPage(config)(siteOf(response))));
  app.get('/reference/files/:name', serveSwaggerFile);
}
