/** The message that a newcomer reads when everything runs. */

/**
 * The part of `.local/sandbox.json` that is read here.
 * @typedef {object} Sandbox
 * @property {string} baseUrl
 * @property {string} clientId
 * @property {string} apiKey
 * @property {{ id: number | string, name: string }[]} merchants
 * @property {{ baseUrl: string, user: string, password: string }} operator
 */

/** A card that the test processor approves. */
const PAYMENT_METHOD = {
  source: 'card',
  card: { number: '4242424242424242', expMonth: 12, expYear: 2030, cvc: '123' },
};

/**
 * Returns a command for the shell. Each run of it makes a new payment, because the shell puts the time into the reference.
 * @param {Sandbox} sandbox
 */
function payCommand({ baseUrl, clientId, apiKey, merchants }) {
  const body = JSON.stringify({
    merchantId: merchants[0]?.id,
    referenceId: 'order-<time>',
    invoiceNumber: '1001',
    amount: { total: 10.5, currency: 'USD' },
    paymentMethod: PAYMENT_METHOD,
  }).replace('<time>', `'$(date +%s)'`);
  return `curl -s -u '${clientId}:${apiKey}' ${baseUrl}/v1/payments -H 'content-type: application/json' -d '${body}'`;
}

/**
 * @param {Sandbox} sandbox
 * @param {{ logs: string, sandboxFile: string }} places
 */
export function readyMessage(sandbox, { logs, sandboxFile }) {
  const merchant = sandbox.merchants[0];
  return `
The payment gateway is ready.

  Start page  ${sandbox.baseUrl}/ (pages to try, test cards, callbacks)
  API         ${sandbox.baseUrl}
  Client id   ${sandbox.clientId}
  API key     ${sandbox.apiKey}
  Merchant    ${merchant?.id} (${merchant?.name})
  Operator    ${sandbox.operator.baseUrl} (user ${sandbox.operator.user}, password in ${sandboxFile})
  Logs        ${logs}

Pay with a test card:

${payCommand(sandbox)}

Ctrl-C stops everything and keeps the data.
`;
}
