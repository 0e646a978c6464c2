/**
 * The wallet worker is killed while it holds tokens, with ten payments for each token at once. Each token is accepted once, the
 * processor's books show one charge, and nothing of a token is left in what MongoDB, Redis and the logs keep.
 */

import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { forgeWalletA } from '../../api/testing/forge/forge-wallet-a.js';
import { forgeWalletB } from '../../api/testing/forge/forge-wallet-b.js';
import type { WalletOrder } from '../../api/testing/forge/order.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { WalletOpening } from '../../shared/domain/wallet/opening.js';
import { createWalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import type { OpenedToken } from '../../shared/wallets/credential.js';
import { loadTrust, parseTrust } from '../../shared/wallets/load-trust.js';
import { openWalletAToken } from '../../shared/wallets/wallet-a/open-token.js';
import { dropDatabase } from '../support/drop-database.js';
import { enableWallets, walletOrder } from '../support/enable-wallets.js';
import { paymentBody } from '../support/gateway.js';
import { PATIENCE_MS } from '../support/patience.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { pem } from '../wallets/fixtures.js';
import { captureCommands, dumpMongo } from './harness/artefacts.js';
import { type Answer, type Caller, createCaller } from './harness/caller.js';
import { passesLuhn, scanForLeaks } from './harness/leak-scan.js';
import { sized } from './harness/scale.js';
import { type Stack, startStack } from './harness/stack.js';

/** Returns a card that has no prepared outcome and that no other suite uses. */
function newCard(): string {
  for (;;) {
    const digits = `4${String(randomInt(10 ** 9)).padStart(9, '0')}${String(randomInt(10 ** 6)).padStart(6, '0')}`;
    if (!digits.startsWith('40000') && passesLuhn(digits)) return digits;
  }
}

const CARD = newCard();
const AT_ONCE = 10;
/** Rounds with one kill each, and how many more rounds are allowed until a kill meets the worker while it holds tokens. */
const KILLS = sized(1, 5);
const MORE_KILLS_MAX = 5;

interface Token {
  readonly wallet: 'a' | 'b';
  readonly text: string;
  readonly answers: (Answer | undefined)[];
}

let stack: Stack;
let caller: Caller;
let stopCapture: () => Promise<void>;
const tokens: Token[] = [];
/** Tokens that the worker held when it was killed. */
let heldCount = 0;

const tokenA = (more: Partial<WalletOrder> = {}) =>
  forgeWalletA(walletOrder({ card: CARD, ...more }), stack.config.walletAGatewayName, new Date());

async function tokenB(): Promise<string> {
  const integration = await createWalletIntegrationRepository(stack.database).find(1001, 'wallet-b-pay');
  const { publicKey = '', merchantIdentifier = '' } = integration?.certificates?.[0] ?? {};
  const recipient = { publicKey, merchantIdentifier, totalMinor: 1050, currencyNumber: '840' };
  return forgeWalletB(walletOrder({ card: CARD }), recipient, new Date());
}

const cardholder = { firstName: 'Ana', lastName: 'Núñez', email: 'ana@example.com' };
const methodOf = ({ wallet, text: token }: Pick<Token, 'wallet' | 'text'>, more: object = {}) =>
  wallet === 'a'
    ? { source: 'wallet-a-pay-token', walletAPayToken: { token, ...more } }
    : { source: 'wallet-b-pay-token', walletBPayToken: { token, cardholder } };

/** Makes one payment with the token, under a reference of its own. */
async function pay(token: Token): Promise<void> {
  const { answer } = await caller.call('POST', '/v1/payments', paymentBody({ paymentMethod: methodOf(token) }));
  token.answers.push(answer);
}

const openings = () => stack.database.collection<WalletOpening>('wallet_openings');
const countHeld = () => openings().countDocuments({ status: 'waiting', leaseUntil: { $gt: new Date() } });

/** Makes ten payments with a new token of each wallet, and kills the worker as soon as it holds some of them. */
async function killWhileHolding(): Promise<void> {
  const newTokens: Token[] = [
    { wallet: 'a', text: tokenA(), answers: [] },
    { wallet: 'b', text: await tokenB(), answers: [] },
  ];
  tokens.push(...newTokens);
  const paying = newTokens.flatMap((token) => Array.from({ length: AT_ONCE }, () => pay(token)));
  const giveUpAt = Date.now() + PATIENCE_MS;
  while ((await countHeld()) === 0 && Date.now() < giveUpAt) await pause(1);
  await stack.member('wallet-1').kill();
  heldCount += await countHeld();
  await stack.member('wallet-1').start();
  await Promise.all(paying);
}

/** Makes requests that end in other ways, so that their traces are searched too. */
async function sendOtherRequests(): Promise<readonly (number | undefined)[]> {
  const send = async (path: string, body: object) => (await caller.call('POST', path, { ...body })).answer?.status;
  const bare = { wallet: 'a', text: tokenA({ auth: 'PAN_ONLY' }) } as const;
  const tampered = { wallet: 'a', text: tokenA({ auth: 'PAN_ONLY', broken: 'tampered' }) } as const;
  const saved = { wallet: 'a', text: tokenA() } as const;
  tokens.push({ ...bare, answers: [] });
  const { source, walletAPayToken } = methodOf(saved) as { source: string; walletAPayToken: object };
  const paymentMethod = { source, walletAPayToken: { ...walletAPayToken, cardholder: { name: 'Ana' } } };
  return [
    await send('/v1/payments', paymentBody({ paymentMethod: methodOf(bare) })),
    await send('/v1/payments', paymentBody({ paymentMethod: methodOf(bare, { cvc: '739' }) })),
    await send('/v1/payments', paymentBody({ paymentMethod: methodOf(tampered, { cvc: '739' }) })),
    await send('/v1/tokenizations', { merchantId: 1001, type: 'temporal', paymentMethod }),
  ];
}

beforeAll(async () => {
  stack = await startStack({
    name: 'wallet-crash',
    mongodbUri: testMongoUri('wallet_crashes'),
    redisUrl: testRedisUrl(),
    redisPrefix: testRedisPrefix('wallet_crashes'),
    counts: { api: 2, wallet: 1, processor: 1 },
    settings: { LOG_LEVEL: 'debug' },
  });
  stopCapture = captureCommands([{ port: Number(new URL(testRedisUrl()).port) }], join(stack.folder, 'redis-commands'));
  caller = createCaller({ urls: stack.apiUrls, ...stack.sandbox });
  const { answer } = await enableWallets(caller.call);
  if (answer?.status !== 200) throw new Error('the certificate was not taken');
  for (let kill = 0; kill < KILLS || (heldCount === 0 && kill < KILLS + MORE_KILLS_MAX); kill += 1)
    await killWhileHolding();
  // An integrator whose payments were all answered 503 sends the same token again.
  for (const token of tokens) {
    for (let tries = 0; tries < 3 && !token.answers.some((answer) => answer?.status === 200); tries += 1) {
      await pay(token);
    }
  }
}, 180_000);

afterAll(async () => {
  await stopCapture?.();
  await caller?.close();
  if (stack) await dropDatabase(stack.database);
  await stack?.stop();
});

test('the worker died while it held tokens', () => {
  expect(heldCount).toBeGreaterThan(0);
});

test('each token was accepted once, and its other payments were refused as replays or asked to retry', () => {
  const refusals = { a: ['invalid-card-payment-method-token'], b: ['WALLET_B_PAY_TOKEN_REPLAY'] };
  expect(tokens.length).toBeGreaterThanOrEqual(2 * KILLS);
  for (const { wallet, answers } of tokens) {
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(1);
    const others = answers.filter((answer) => answer?.status !== 200).map((answer) => answer?.body.code);
    expect(others.filter((code) => ![...refusals[wallet], 'service-unavailable'].includes(code))).toEqual([]);
  }
});

test('the books show one charge for each token, and no token waits any more', async () => {
  const charged = (await stack.ledger()).filter(({ kind, result }) => kind === 'purchase' && result === 'approved');
  expect(charged).toHaveLength(tokens.length);
  const stored = await stack.database.collection<Payment>('payments').find({}).toArray();
  expect(stored.map(({ status }) => status)).toEqual(tokens.map(() => 'approved'));
  expect(await openings().countDocuments()).toBe(0);
});

test('nothing of a token is readable in MongoDB, Redis or the logs', async () => {
  expect(await sendOtherRequests()).toEqual([422, 200, 400, 200]);
  await pause(500);
  await stopCapture();
  const trust = parseTrust(loadTrust(stack.config)).walletA;
  if (!trust) throw new Error('the sandbox trusts the published keys');
  const secrets: Record<string, string> = { ...stack.secrets };
  for (const [at, { wallet, text }] of tokens.entries()) {
    const json = JSON.parse(wallet === 'a' ? Buffer.from(text, 'base64').toString() : text);
    const sealed: string = wallet === 'a' ? JSON.parse(json.signedMessage).encryptedMessage : json.data;
    Object.assign(secrets, { [`token ${at}`]: text.slice(0, 200), [`token ${at}, sealed`]: sealed.slice(0, 60) });
    if (wallet === 'b') continue;
    const opened: OpenedToken = openWalletAToken(JSON.stringify(json), trust, '1001', new Date());
    if (opened.kind === 'opened' && opened.credential.kind === 'cryptogram')
      secrets[`cryptogram ${at}`] = opened.credential.cryptogram;
  }
  const cryptograms = Object.keys(secrets).filter((name) => name.startsWith('cryptogram'));
  expect(cryptograms).toHaveLength(tokens.filter(({ wallet, answers }) => wallet === 'a' && answers.length > 0).length);
  const [, firstLine = ''] = pem('merchant-alpha.key.pem').split('\n');
  secrets['processing key'] = firstLine;
  const name = stack.database.connection.name;
  const dump = await dumpMongo(stack.database, stack.folder, (one) => one === name || one === `${name}_ephemeral`);
  const commands = join(stack.folder, 'redis-commands');
  // What other suites send to the same Redis is searched for these values only, not for shapes.
  const text = [dump, join(stack.folder, 'logs')];
  const { hits, files } = scanForLeaks({ raw: [commands], text, cardNumbers: [CARD], secrets });
  expect(hits.map(({ file, description }) => `${description} in ${file}`)).toEqual([]);
  // There was data to search.
  expect(files).toBeGreaterThan(5);
  expect(readFileSync(join(dump, `${name}.payments.jsonl`), 'utf8')).toContain('wallet-a-pay-token');
  expect(readFileSync(commands, 'latin1')).toContain(`${testRedisPrefix('wallet_crashes')}-wallet`);
});
