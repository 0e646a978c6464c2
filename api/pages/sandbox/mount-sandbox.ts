/** The start page of a sandbox, the pages that it opens, and the inbox: only in testing, where `npm start` runs. */
import { randomUUID } from 'node:crypto';
import type { Application, Request, RequestHandler, Response } from 'express';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import type { HandlerDeps } from '../../deps.js';
import { readFormBody } from '../../http/read-form-body.js';
import { send } from '../../http/send.js';
import { beginVisit } from '../http/page-route.js';
import { seeOther } from '../http/send-page.js';
import { isFromElsewhere } from '../http/session-proof.js';
import { type Demo, demos, newPayer, savingCalls } from './demos.js';
import { guide } from './guides.js';
import { readSandbox } from './read-sandbox.js';
import { callApi, readInbox } from './sandbox-calls.js';
import type { SandboxFile } from './sandbox-file.js';
import { inboxList, sandboxHome, shopPage } from './sandbox-home.view.js';

const CONFLICT = 409;
const HTML = 'text/html; charset=utf-8';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const sendHtml = (response: Response, text: string) =>
  send(response, 200, text, { 'Content-Type': HTML, 'Content-Security-Policy': POLICY });

/** A session, or a payment link. */
interface Made {
  readonly actions?: readonly { readonly rel: string; readonly href: string }[];
  readonly shareUrl?: string;
}

/** Creates a payer with saved cards, a new one each time: an earlier one may have removed the cards. @returns the payer's id. */
async function makePayer(sandbox: SandboxFile, reference: string): Promise<string> {
  const { id } = (await callApi(sandbox, newPayer)) as { readonly id: string };
  await Promise.all(savingCalls(sandbox, reference, id).map((call) => callApi(sandbox, call)));
  return id;
}

/** Returns the path of the page that was created. The browser stays on its origin: `localhost` and `127.0.0.1` are different ones. */
async function openDemo(sandbox: SandboxFile, demo: Demo, inboxUrl: string): Promise<string> {
  const reference = `demo-${randomUUID()}`;
  const before = demo.before?.(sandbox);
  if (before) await callApi(sandbox, before, [200, 201, CONFLICT]);
  const payerId = demo.payer ? await makePayer(sandbox, reference) : '';
  const made = (await callApi(sandbox, demo.call(sandbox, reference, inboxUrl, payerId))) as Made;
  const href = made.shareUrl ?? made.actions?.find(({ rel }) => rel === demo.open.rel)?.href;
  if (href === undefined) throw new Error(`the answer has no address ${demo.open.rel}`);
  const { pathname, search } = new URL(href);
  return pathname + search;
}

/**
 * Mounts the sandbox.
 * @param otherwise answers `/` when there is no sandbox.
 */
export function mountSandbox(app: Application, deps: HandlerDeps, otherwise: RequestHandler): void {
  const { config } = deps;
  const inboxUrl = `${config.sandboxProcessorUrl ?? ''}/inbox`;
  const route = (
    method: 'get' | 'post',
    path: string,
    handle: (sandbox: SandboxFile, request: Request, response: Response) => Promise<unknown> | unknown,
  ) => {
    const begin: RequestHandler = async (_request, response, next) => {
      await beginVisit(deps, response, path);
      next();
    };
    const run: RequestHandler = async (request, response, next) => {
      const sandbox = await readSandbox(request, config);
      if (sandbox) await handle(sandbox, request, response);
      else if (path === '/') await otherwise(request, response, next);
      else throw new GatewayError('not-found');
    };
    app[method](path, begin, ...(method === 'post' ? readFormBody : []), run);
  };

  route('get', '/', async (sandbox, _request, response) => {
    const inbox = await readInbox(config.sandboxProcessorUrl);
    sendHtml(response, sandboxHome({ sandbox, inboxUrl, inbox }));
  });
  route('get', '/sandbox/inbox', async (_sandbox, _request, response) => {
    send(response, 200, inboxList(await readInbox(config.sandboxProcessorUrl)).text, { 'Content-Type': HTML });
  });
  route('get', '/sandbox/guides/:name', async (_sandbox, request, response) => {
    const text = await guide(String(request.params['name']));
    if (text === undefined) throw new GatewayError('not-found');
    send(response, 200, text, { 'Content-Type': 'text/plain; charset=utf-8' });
  });
  route('post', '/sandbox/demos', async (sandbox, request, response) => {
    if (isFromElsewhere(request)) throw new GatewayError('not-found');
    const { demo: wanted = '' } = request.body as { demo?: string };
    const demo = Object.hasOwn(demos, wanted) ? demos[wanted] : undefined;
    if (!demo) throw new GatewayError('not-found');
    const path = await openDemo(sandbox, demo, inboxUrl);
    if (demo.open.frame) sendHtml(response, shopPage(path));
    else seeOther(response, path);
  });
}
