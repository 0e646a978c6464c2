/** The pages of the mock issuers (ACS) behind the mock 3D Secure server, for the payer's browser. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { payerChoices } from '../simulator/issuer.js';
import { decode, page, sendPayerBack, showChallengePage, showMethodPage } from '../simulator/issuer-pages.js';
import { readText } from '../simulator/read-request.js';
import type { ServerSession, Sessions } from './sessions.js';

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

const challenges: ReadonlySet<string> = new Set(['challenge', 'challenge-passes', 'challenge-fails']);

const unknown = ({ response }: Exchange) =>
  page(response, 404, 'Sandbox issuer', '<h1>Challenge not found</h1><p>Go back to the shop and pay again.</p>');

interface CReq {
  readonly messageType: string;
  readonly messageVersion: string;
  readonly acsTransID: string;
  readonly threeDSServerTransID: string;
  readonly challengeWindowSize: string;
}

/** Finds the session of a CReq. Accepts only the form that EMV defines: base64url without padding, all five elements, of this session. */
function findSession(sessions: Sessions, creq: string | null): ServerSession | undefined {
  if (creq === null || !/^[\w-]+$/.test(creq)) return undefined;
  const message = decode<CReq>(creq);
  const session = sessions.challenge(message.acsTransID ?? '');
  const fits =
    session?.areq !== undefined &&
    challenges.has(session.case.outcome) &&
    message.messageType === 'CReq' &&
    message.messageVersion === session.areq.messageVersion &&
    message.threeDSServerTransID === session.id &&
    /^0[1-5]$/.test(message.challengeWindowSize ?? '');
  return fits ? session : undefined;
}

/** Sends the payer back to the shop with the result of the challenge. */
function returnPayer(session: ServerSession, exchange: Exchange, sessionData: string): void {
  const { areq: request, acsTransID, choice } = session;
  if (request) sendPayerBack(exchange.response, { request, acsTransID, ...(choice && { choice }) }, sessionData);
  else unknown(exchange);
}

async function challenge(sessions: Sessions, exchange: Exchange): Promise<void> {
  const form = new URLSearchParams(await readText(exchange.request));
  const session = findSession(sessions, form.get('creq'));
  const sessionData = form.get('threeDSSessionData') ?? '';
  if (!session?.areq) return unknown(exchange);
  if (session.case.outcome === 'challenge-passes') sessions.choose(session, 'approve');
  if (session.case.outcome === 'challenge-fails') sessions.choose(session, 'fail');
  if (session.choice) return returnPayer(session, exchange, sessionData);
  showChallengePage(
    exchange.response,
    { request: session.areq, acsTransID: session.acsTransID },
    sessionData,
    '/acs/answer',
  );
}

async function answer(sessions: Sessions, exchange: Exchange): Promise<void> {
  const form = new URLSearchParams(await readText(exchange.request));
  const session = sessions.challenge(form.get('acsTransID') ?? '');
  const choice = payerChoices.find((one) => one === form.get('choice'));
  if (!session || !choice || !challenges.has(session.case.outcome)) return unknown(exchange);
  sessions.choose(session, choice);
  returnPayer(session, exchange, form.get('threeDSSessionData') ?? '');
}

async function method(sessions: Sessions, exchange: Exchange): Promise<void> {
  const form = new URLSearchParams(await readText(exchange.request));
  const { threeDSServerTransID: id = '', threeDSMethodNotificationURL: url = '' } = decode<Record<string, string>>(
    form.get('threeDSMethodData'),
  );
  const session = sessions.find(id);
  if (!session) return unknown(exchange);
  session.looked = true;
  showMethodPage(exchange.response, url, id, session.case.method === 'answers');
}

/** Answers a request below `/acs`. False when there is nothing at the path. */
export async function routeAcs(sessions: Sessions, step: string | undefined, exchange: Exchange): Promise<boolean> {
  if (exchange.request.method !== 'POST') return false;
  if (step === 'challenge') await challenge(sessions, exchange);
  else if (step === 'answer') await answer(sessions, exchange);
  else if (step === 'method') await method(sessions, exchange);
  else return false;
  return true;
}
