/** A payer at the page of a mock issuer, as a browser would fill it in. */
import type { ChallengeWanted } from '../../shared/threeds-providers/provider.js';
import { type Choice, formOf, submit } from '../support/forms.js';

/** @returns the form that the page sends back. */
export async function answerIssuerPage(answer: ChallengeWanted, sessionId: string, choice: Choice) {
  const { acsUrl, acsTransactionId: acsTransID, version: messageVersion, reference } = answer;
  const threeDSServerTransID = reference ?? sessionId;
  const message = { messageType: 'CReq', messageVersion, threeDSServerTransID, acsTransID, challengeWindowSize: '05' };
  const creq = Buffer.from(JSON.stringify(message)).toString('base64url');
  const asked = formOf(await (await submit(acsUrl, { creq, threeDSSessionData: 'x' })).text());
  const page = await submit(new URL(asked.action, acsUrl).href, { ...asked.fields, choice });
  return formOf(await page.text());
}
