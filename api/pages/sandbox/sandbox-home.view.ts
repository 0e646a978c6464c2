/** The start page of a sandbox: the first payment, pages to try, test cards, received callbacks. */
import { numberFor } from '../../testing/test-figures.js';
import { assetPath } from '../assets.js';
import { attribute, type Html, html } from '../html.js';
import { copiedNote, copyButton } from './copy-button.view.js';
import { curlOf } from './curl.js';
import { type Demo, demos } from './demos.js';
import { guides } from './guides.js';
import type { InboxEntry } from './sandbox-calls.js';
import type { SandboxFile } from './sandbox-file.js';
import { testCards } from './test-cards.view.js';

export interface SandboxModel {
  readonly sandbox: SandboxFile;
  readonly inboxUrl: string;
  readonly inbox: readonly InboxEntry[];
}

const REFERENCE = 'order-<time>';

const firstPayment = ({ merchants }: SandboxFile, callbackUrl: string) => ({
  path: '/v1/payments',
  body: {
    merchantId: merchants[0]?.id,
    referenceId: REFERENCE,
    invoiceNumber: '1001',
    amount: { total: '122.00', currency: 'USD' },
    paymentMethod: {
      source: 'card',
      card: { number: numberFor('approved'), expMonth: 12, expYear: 2034, cvc: '123' },
    },
    callbackUrl,
  },
});

/** A page of the sandbox: in English, like the API. */
const developerPage = (title: string, body: Html, scripts: readonly string[] = []): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath('pages.css')}">
<link rel="stylesheet" href="${assetPath('sandbox.css')}">
${scripts.map((name) => html`<script type="module" src="${assetPath(name)}"></script>`)}
</head>
<body>
<aside class="strip" aria-label="Environment">Testing environment. No money moves.</aside>
<a class="skip" href="#main">Skip to content</a>
<header class="bar"><a class="mark" href="/">Gateway</a>
<nav class="cluster" aria-label="Main"><a href="/">Sandbox</a> <a href="/reference/v2">API reference</a> <a href="/openapi/v2.json">OpenAPI</a></nav></header>
<main id="main" class="page stack">
${body}
</main>
</body>
</html>
`.text;

function credentials({ clientId, apiKey, merchants, operator }: SandboxFile): Html {
  return html`<section class="panel stack"><h2>Credentials</h2>
<dl class="keys"><div><dt>Client id</dt><dd><span class="mono" id="client">${clientId}</span> ${copyButton({ from: 'client', name: 'Copy the client id' })}</dd></div>
<div><dt>API key</dt><dd><span class="mono" id="key">${apiKey}</span> ${copyButton({ from: 'key', name: 'Copy the API key' })}</dd></div>
${merchants.map(({ id, name }) => html`<div><dt>Merchant</dt><dd><span class="mono">${id}</span> ${name}</dd></div>`)}
<div><dt>Operator port</dt><dd class="mono">${operator.baseUrl}</dd></div></dl>
<p class="small soft">HTTP Basic, client id and key. All of it is in <code>.local/sandbox.json</code>, and works in this sandbox only.</p></section>`;
}

/** Returns the id of a call, by which the style sheet shows the chosen one, even without script. */
const callId = (demo: string) => `call-${demo}`;

function calls(all: readonly [string, Demo][], { sandbox, inboxUrl }: SandboxModel): Html {
  const option = ([id, { name }]: [string, Demo]) => html`<option value="${id}">${name}</option>`;
  const call = ([id, { name, call: make }]: [string, Demo]) =>
    html`<div class="call near"><pre tabindex="0" id="${callId(id)}">${curlOf(sandbox, make(sandbox, REFERENCE, inboxUrl, '<id of a customer>'))}</pre>
<p>${copyButton({ from: callId(id), name: `Copy the call: ${name}` })}</p></div>`;
  return html`<details><summary>As a call</summary><div class="calls near"><div class="field"><label for="which">Page</label><select class="in" id="which" autocomplete="off">${all.map(option)}</select></div>
${all.map(call)}</div></details>`;
}

function tryPages(model: SandboxModel): Html {
  const button = ([id, { name, about }]: [string, Demo]) =>
    html`<button class="btn" name="demo" value="${id}">${name}<span class="small soft">${about}</span></button>`;
  const all = Object.entries(demos);
  return html`<section class="panel stack"><div class="near"><h2>Try a page</h2><p class="soft small">Each button makes a real session by the public API and opens its page, as your payer would see it. The answer of the call has the address in <code>actions</code>.</p></div>
<form class="demos" method="post" action="/sandbox/demos">${all.map(button)}</form>
${calls(all, model)}</section>`;
}

const guideLinks = (): Html =>
  html`<section class="panel near"><h2>Guides</h2><ul class="cluster">${Object.entries(guides).map(([name, title]) => html`<li><a href="/sandbox/guides/${name}">${title}</a></li>`)}</ul></section>`;

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

function arrived({ at, body }: InboxEntry, newest: boolean): Html {
  const what = textOf(body['referenceId']) || textOf(body['id']);
  return html`<li><details${attribute('open', newest || undefined)}><summary><time datetime="${at}" class="num">${at.slice(11, 19)}</time> <span class="mono">${what}</span> <b>${textOf(body['status'])}</b></summary><pre tabindex="0">${JSON.stringify(body, undefined, 2)}</pre></details></li>`;
}

/** Renders only the list, which the page's script requests repeatedly. */
export const inboxList = (inbox: readonly InboxEntry[]): Html =>
  inbox.length === 0
    ? html`<p class="soft">Nothing arrived yet. Pay on one of the pages, or run the call above.</p>`
    : html`<ol class="inbox">${inbox.map((entry, index) => arrived(entry, index === 0))}</ol>`;

function inboxPanel({ inbox, inboxUrl }: SandboxModel): Html {
  return html`<section class="panel near"><h2>Callback inbox</h2>
<p class="soft small">Send callbacks to <code>${inboxUrl}</code> to read them here: the last ones, times in UTC. A restart forgets them. <a href="/">Look again</a></p>
<div id="inbox" data-from="/sandbox/inbox">${inboxList(inbox)}</div></section>`;
}

export function sandboxHome(model: SandboxModel): string {
  const { sandbox, inboxUrl } = model;
  const body = html`<div class="near"><h1>Take your first payment</h1><p class="soft">Everything here runs on this machine. Credentials and money are for testing only.</p></div>
<div class="grid two">
<section class="panel stack"><div class="near"><h2>One call that pays</h2><p class="soft small">Run it in a terminal. It answers with status <code>approved</code>, and its callback, if one is due, arrives below.</p></div>
<div class="near"><pre tabindex="0" id="first">${curlOf(sandbox, firstPayment(sandbox, inboxUrl))}</pre>
<p>${copyButton({ from: 'first', name: 'Copy the call' })}</p></div></section>
${credentials(sandbox)}
</div>
${tryPages(model)}
<div class="grid half">
${testCards()}
${inboxPanel(model)}
</div>
${guideLinks()}
${copiedNote()}`;
  return developerPage('Sandbox: payment gateway', body, ['sandbox.js', 'copy.js']);
}

/** Renders a page that acts as the shop around the embedded form and shows what the shop receives. */
export function shopPage(frameUrl: string): string {
  const body = html`<div class="near"><h1>A page of the shop</h1><p class="soft">The frame below is the gateway's. This page receives its height and its result, and never sees a card.</p></div>
<div class="grid two"><section class="panel"><iframe id="card" title="Save a card" src="${frameUrl}" height="420" referrerpolicy="origin"></iframe></section>
<section class="panel near"><h2>What the shop receives</h2><ol id="received" class="near mono small"></ol><p><a href="/">Back to the sandbox</a></p></section></div>`;
  return developerPage('A shop: payment gateway sandbox', body, ['shop.js']);
}
