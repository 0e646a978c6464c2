/** A payer whose browser trusts the test's certificate authority: for challenges of a 3D Secure server on the EMV wire, behind TLS. */
import { type Agent, request } from 'undici';
import { type Choice, formOf } from './forms.js';

/** Loads a page. With fields, submits a form. */
async function browse(agent: Agent, url: string, fields?: Record<string, string>) {
  const form = fields && {
    method: 'POST' as const,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  };
  const answer = await request(url, { dispatcher: agent, ...form });
  return { status: answer.statusCode, location: answer.headers['location'], html: await answer.body.text() };
}

/** Goes from the `approval_url` to the issuer, answers the challenge and returns where the payer ends, at the merchant's `redirectUrl`. */
export async function answerOverTls(agent: Agent, approvalUrl: string, choice: Choice): Promise<URL> {
  const toIssuer = formOf((await browse(agent, approvalUrl)).html);
  const question = formOf((await browse(agent, toIssuer.action, toIssuer.fields)).html);
  const answering = new URL(question.action, toIssuer.action).href;
  const back = formOf((await browse(agent, answering, { ...question.fields, choice })).html);
  const end = await browse(agent, back.action, back.fields);
  if (end.status !== 303) throw new Error(`the return answered ${end.status}`);
  return new URL(String(end.location));
}
