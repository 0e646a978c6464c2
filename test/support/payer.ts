/** A payer with a browser: follows the forms of a challenge as a browser would, without scripts. */

import { type Choice, type Form, formOf, submit, visit } from './forms.js';
import { paymentBody, type TestGateway } from './gateway.js';
import { waitFor } from './patience.js';

/** The part of a gateway that a payer needs. */
type ReachableGateway = Pick<TestGateway, 'config' | 'baseUrl'>;

/** Rewrites an address of the gateway to the one that this test can reach: the gateway does not know its own port beforehand. */
export const toReachableUrl = (gateway: ReachableGateway, url: string) =>
  url.replace(gateway.config.publicBaseUrl, gateway.baseUrl);

/** Goes from the `approval_url` to the issuer's page. Returns the page's form, still unanswered. */
export async function openIssuer(gateway: ReachableGateway, approvalUrl: string): Promise<Form> {
  const redirectForm = formOf(await (await visit(toReachableUrl(gateway, approvalUrl))).text());
  const asked = formOf(await (await submit(redirectForm.action, redirectForm.fields)).text());
  return { ...asked, action: new URL(asked.action, redirectForm.action).href };
}

/** Makes the payer's choice at the issuer. Returns the form that the issuer's page sends back. */
export async function choose(gateway: ReachableGateway, asked: Form, choice: Choice): Promise<Form> {
  const back = formOf(await (await submit(asked.action, { ...asked.fields, choice })).text());
  return { ...back, action: toReachableUrl(gateway, back.action) };
}

/** Goes from the `approval_url` to the form that the issuer's page sends back. The payer's choice is known then. */
export const answerIssuer = async (gateway: ReachableGateway, approvalUrl: string, choice: Choice): Promise<Form> =>
  choose(gateway, await openIssuer(gateway, approvalUrl), choice);

/**
 * Completes the challenge. Returns where the payer ends, at the merchant's `redirectUrl`, with a final status: a busy machine may take
 * longer than the page waits, and then the payer comes back again.
 */
export async function completeChallenge(gateway: ReachableGateway, approvalUrl: string, choice: Choice): Promise<URL> {
  const { action, fields } = await answerIssuer(gateway, approvalUrl, choice);
  const comeBack = async () => {
    const answer = await submit(action, fields);
    if (answer.status !== 303) throw new Error(`the return answered ${answer.status}`);
    return new URL(answer.headers.get('location') ?? '');
  };
  return waitFor(comeBack, ({ searchParams }) => searchParams.get('status') !== 'pending');
}

const browserDetails = { ipAddress: '203.0.113.7', userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' };

/** Returns a payment request that can be authenticated. `more` replaces top-level fields. */
export const authenticatedBody = (
  number: string,
  more: Record<string, unknown> = {},
  card: Record<string, unknown> = {},
) => paymentBody({ browserDetails, redirectUrl: 'https://shop.example/return?cart=7', ...more }, { number, ...card });

/** Switches 3D Secure on for a method, for every payment unless `rules` say otherwise. */
export async function switchOnThreeDs(
  gateway: Pick<TestGateway, 'call'>,
  method = 'visa',
  rules: object = { enabled: false },
): Promise<void> {
  const path = `/v1/merchants/1001/payment-methods/${method}/threeds`;
  const body = { provider: 'sandbox', metadata: { acquirerBin: '400000', acquirerMerchantId: '1001' }, rules };
  const made = await gateway.call('POST', path, body);
  if (made.status !== 200) await gateway.call('PUT', path, body);
}
