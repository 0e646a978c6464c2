/**
 * The mock issuer over HTTP:
 * - `POST /threeds/versions`: whether the issuer of a card examines the browser first (3DS method)
 * - `POST /threeds/method`: the page in a hidden frame that takes the place of this examination
 * - `POST /threeds/areq`, `GET /threeds/results/<threeDSServerTransID>`: for the 3DS provider's adapter
 * - `POST /threeds/challenge`: the page to which the payer's browser brings a CReq
 * - `POST /threeds/answer`: takes the payer's choice; answers with a page that returns the CRes
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../../config/limits.js';
import { detectBrand } from '../../../shared/domain/card/brand.js';
import { findCurrencyByNumber } from '../../../shared/domain/money/currency.js';
import { paymentMethodCatalog } from '../../../shared/domain/payment-method-catalog.js';
import type { AReq, CardRange, CReq, CRes, MethodData } from '../../../shared/threeds-providers/sandbox/messages.js';
import { type Issuer, type PayerChoice, payerChoices } from './issuer.js';
import { pageStyle } from './page-style.js';
import { readJson, readText } from './read-request.js';
import { sendJson } from './send-answer.js';

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const html = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

/** Sends a page of the payer's mock bank. */
export function page(response: ServerResponse, status: number, title: string, body: string, script = ''): void {
  const nonce = randomBytes(16).toString('base64');
  const text = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(title)}</title><style nonce="${nonce}">${pageStyle}</style></head><body>
<aside class="strip" aria-label="Environment">Testing: this is a mock of the payer’s bank. No money moves.</aside><main>${body}</main>${
    script && `<script nonce="${nonce}">${script}</script>`
  }</body></html>`;
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
  response.end(text);
}

const unknown = ({ response }: Exchange) =>
  page(response, 404, 'Sandbox issuer', '<h1>Challenge not found</h1><p>Go back to the shop and pay again.</p>');

const labels = {
  approve: ['Approve', 'Authenticated. The payment goes on.'],
  fail: ['Fail', 'Wrong code: <code>authentication-failed</code>.'],
  cancel: ['Cancel', 'The payer says no: <code>authentication-failed</code>.'],
  abandon: ['Abandon', 'The payer leaves: <code>authentication-failed</code>.'],
} as const satisfies Record<PayerChoice, readonly [string, string]>;

/** Parts of an authentication request that the payer sees. */
export type ShownAReq = Pick<
  AReq,
  | 'merchantName'
  | 'threeDSCompInd'
  | 'threeDSServerTransID'
  | 'purchaseAmount'
  | 'purchaseCurrency'
  | 'acctNumber'
  | 'messageVersion'
>;

/** Renders `USD 1,220.00` from minor units and a numeric code. */
function purchaseOf({ purchaseAmount, purchaseCurrency }: ShownAReq): string {
  const { code = purchaseCurrency, exponent = 2 } = findCurrencyByNumber(purchaseCurrency) ?? {};
  const digits = purchaseAmount.padStart(exponent + 1, '0');
  const whole = new Intl.NumberFormat('en').format(BigInt(digits.slice(0, digits.length - exponent)));
  return exponent === 0 ? `${code} ${whole}` : `${code} ${whole}.${digits.slice(-exponent)}`;
}

function cardOf({ acctNumber }: ShownAReq): string {
  const brand = detectBrand(acctNumber);
  return `${brand === undefined ? 'Card' : paymentMethodCatalog[brand].name} ending ${acctNumber.slice(-4)}`;
}

/** Result of the 3DS method, by `threeDSCompInd`. */
const methodResults: Readonly<Record<string, string>> = {
  Y: 'looked at before (3DS method, Y)',
  N: 'not looked at in time (3DS method, N)',
  U: 'not looked at (no 3DS method, U)',
};

const CHALLENGE_MINUTES = limits.challengeMs / 60_000;

/** @param action address that the choice is posted to */
export function showChallengePage(
  response: ServerResponse,
  { request, acsTransID }: { readonly request: ShownAReq; readonly acsTransID: string },
  sessionData: string,
  action = '/threeds/answer',
): void {
  const { merchantName, threeDSCompInd, threeDSServerTransID, messageVersion } = request;
  const buttons = payerChoices.map(
    (choice) =>
      `<button name="choice" value="${choice}">${labels[choice][0]}<small>${labels[choice][1]}</small></button>`,
  );
  page(
    response,
    200,
    'Sandbox issuer: confirm a payment',
    `<div><p class="small">Sandbox issuer, 3D Secure ${html(messageVersion.slice(0, '2.2'.length))} challenge</p><h1>Confirm this payment?</h1></div>
<dl><dt>Merchant</dt><dd>${html(merchantName)}</dd><dt>Amount</dt><dd><b>${html(purchaseOf(request))}</b></dd>
<dt>Card</dt><dd>${html(cardOf(request))}</dd><dt>Browser</dt><dd id="look">${methodResults[threeDSCompInd] ?? ''}</dd>
<dt>Session</dt><dd class="mono">${html(threeDSServerTransID)}</dd></dl>
<form method="post" action="${html(action)}"><input type="hidden" name="acsTransID" value="${html(acsTransID)}">
<input type="hidden" name="threeDSSessionData" value="${html(sessionData)}">
<fieldset><legend>Choose what the payer does</legend><div class="choices">${buttons.join('')}</div></fieldset></form>
<p class="small">Left open, the challenge ends after ${CHALLENGE_MINUTES} minutes and the payment becomes <code>failed</code>.</p>`,
  );
}

export const encode = (message: object) => Buffer.from(JSON.stringify(message)).toString('base64url');

/** A challenge whose payer is sent back to the shop. */
interface AnsweredChallenge {
  readonly request: Pick<AReq, 'threeDSServerTransID' | 'notificationURL' | 'messageVersion'>;
  readonly acsTransID: string;
  readonly choice?: PayerChoice;
}

export function sendPayerBack(response: ServerResponse, session: AnsweredChallenge, sessionData: string): void {
  const { request, acsTransID, choice } = session;
  const { threeDSServerTransID, notificationURL, messageVersion } = request;
  const transStatus = choice === 'approve' ? 'Y' : 'N';
  const ids = { messageVersion, threeDSServerTransID, acsTransID };
  const message: CRes = { messageType: 'CRes', ...ids, challengeCompletionInd: 'Y', transStatus };
  const cres = encode(message);
  page(
    response,
    200,
    'Sandbox issuer: going back',
    `<h1>Going back to the shop</h1><form id="back" method="post" action="${html(notificationURL)}">
<input type="hidden" name="cres" value="${cres}"><input type="hidden" name="threeDSSessionData" value="${html(sessionData)}">
<button>Continue</button></form>`,
    "document.getElementById('back').submit()",
  );
}

/** Decodes data from a browser. Any of its fields may be missing. */
export function decode<Message>(text: string | null): Partial<Message> {
  try {
    return (JSON.parse(Buffer.from(text ?? '', 'base64url').toString('utf8')) ?? {}) as Partial<Message>;
  } catch {
    return {};
  }
}

async function handleChallenge(issuer: Issuer, exchange: Exchange): Promise<void> {
  const form = new URLSearchParams(await readText(exchange.request));
  const { acsTransID = '', threeDSServerTransID } = decode<CReq>(form.get('creq'));
  const session = issuer.challenge(acsTransID);
  const open = session?.answer === 'challenge' && session.request.threeDSServerTransID === threeDSServerTransID;
  if (!open) return unknown(exchange);
  const sessionData = form.get('threeDSSessionData') ?? '';
  // A second visit shows the earlier choice.
  if (session.choice) sendPayerBack(exchange.response, session, sessionData);
  else showChallengePage(exchange.response, session, sessionData);
}

async function handleChoice(issuer: Issuer, exchange: Exchange): Promise<void> {
  const form = new URLSearchParams(await readText(exchange.request));
  const session = issuer.challenge(form.get('acsTransID') ?? '');
  const choice = payerChoices.find((one) => one === form.get('choice'));
  if (session?.answer !== 'challenge' || !choice) return unknown(exchange);
  session.choice ??= choice;
  sendPayerBack(exchange.response, session, form.get('threeDSSessionData') ?? '');
}

const isAReq = (body: unknown): body is AReq => {
  const { messageType, threeDSServerTransID, acctNumber, purchaseAmount, merchantName } = (body ?? {}) as Partial<AReq>;
  return (
    messageType === 'AReq' &&
    typeof threeDSServerTransID === 'string' &&
    typeof merchantName === 'string' &&
    /^\d{12,19}$/.test(String(acctNumber)) &&
    /^\d+$/.test(String(purchaseAmount))
  );
};

async function handleVersions(issuer: Issuer, { request, response }: Exchange): Promise<void> {
  const { threeDSServerTransID, acctNumber } = (await readJson(request)) as Readonly<Record<string, unknown>>;
  if (typeof threeDSServerTransID !== 'string' || !/^\d{12,19}$/.test(String(acctNumber))) {
    return sendJson(response, 400, { error: 'not a request of this kind' });
  }
  issuer.announce(threeDSServerTransID, String(acctNumber));
  const threeDSMethodURL = `http://${request.headers.host}/threeds/method`;
  const looks = issuer.hasMethod(String(acctNumber));
  const range: CardRange = { threeDSServerTransID, ...(looks && { threeDSMethodURL }) };
  sendJson(response, 200, range);
}

/** Examines nothing. A real issuer would have its script here. */
async function handleMethod(issuer: Issuer, { request, response }: Exchange): Promise<void> {
  const form = new URLSearchParams(await readText(request));
  const { threeDSServerTransID = '', threeDSMethodNotificationURL = '' } = decode<MethodData>(
    form.get('threeDSMethodData'),
  );
  showMethodPage(
    response,
    threeDSMethodNotificationURL,
    threeDSServerTransID,
    issuer.reportsMethodEnd(threeDSServerTransID),
  );
}

/** Sends the page of a 3DS method. `ends`: the page reports that it has finished. */
export function showMethodPage(response: ServerResponse, notificationURL: string, id: string, ends: boolean): void {
  const data = encode({ threeDSServerTransID: id });
  const form = `<form id="done" method="post" action="${html(notificationURL)}"><input type="hidden" name="threeDSMethodData" value="${data}"></form>`;
  const script = "document.getElementById('done').submit()";
  page(response, 200, 'Sandbox issuer', ends ? form : '<p>Looking…</p>', ends ? script : '');
}

async function handleAReq(issuer: Issuer, { request, response }: Exchange): Promise<void> {
  const body = await readJson(request);
  if (!isAReq(body)) return sendJson(response, 400, { error: 'not a request of this kind' });
  const answer = issuer.authenticate(body, `http://${request.headers.host}/threeds/challenge`);
  if (answer) sendJson(response, 200, answer);
  else sendJson(response, 409, { error: 'the session belongs to another purchase' });
}

/** Answers a request below `/threeds`. False when there is nothing at the path. */
export async function routeIssuer(issuer: Issuer, path: readonly string[], exchange: Exchange): Promise<boolean> {
  const { request, response } = exchange;
  const [step, id] = path;
  if (request.method === 'GET' && step === 'results' && id !== undefined) {
    const result = issuer.result(decodeURIComponent(id));
    sendJson(response, result ? 200 : 404, result ?? { error: 'there is no such session' });
    return true;
  }
  if (request.method !== 'POST' || id !== undefined) return false;
  if (step === 'versions') await handleVersions(issuer, exchange);
  else if (step === 'method') await handleMethod(issuer, exchange);
  else if (step === 'areq') await handleAReq(issuer, exchange);
  else if (step === 'challenge') await handleChallenge(issuer, exchange);
  else if (step === 'answer') await handleChoice(issuer, exchange);
  else return false;
  return true;
}
