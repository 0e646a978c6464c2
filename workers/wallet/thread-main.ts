/** The thread that verifies and decrypts tokens, so that curve arithmetic never holds up the event loop of the pool. */
import { createPrivateKey } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { type OpenedToken, refused } from '../../shared/wallets/credential.js';
import { parseTrust, type WalletTrustTexts } from '../../shared/wallets/load-trust.js';
import { readBase64 } from '../../shared/wallets/read-base64.js';
import { openWalletAToken } from '../../shared/wallets/wallet-a/open-token.js';
import { openWalletBToken } from '../../shared/wallets/wallet-b/open-token.js';
import type { ThreadAnswer, ThreadReady, ThreadRequest, ThreadTrust } from './thread-protocol.js';

let { walletA, walletB } = parseTrust(workerData as WalletTrustTexts);

function open({ walletType, token, merchantId, nowMs, keys }: ThreadRequest): OpenedToken {
  const now = new Date(nowMs);
  if (walletType === 'wallet-a-pay') {
    const text = readBase64(token)?.toString('utf8');
    if (!walletA) return refused('unverifiable');
    return text === undefined ? refused('malformed') : openWalletAToken(text, walletA, String(merchantId), now);
  }
  if (!walletB) return refused('unverifiable');
  const opened = keys.map(({ privateKey, expiresAtMs, ...key }) => ({
    ...key,
    privateKey: createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' }),
    expiresAt: new Date(expiresAtMs),
  }));
  return openWalletBToken(token, walletB, opened, now);
}

/** Returns the kind of error and the place, without its message. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${typeof error}`;
  const place = error.stack?.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
  return `${error.name} ${place.trim()}`.trim();
}

parentPort?.on('message', (request: ThreadRequest | ThreadTrust) => {
  if ('trust' in request) {
    ({ walletA, walletB } = parseTrust(request.trust));
    return;
  }
  let result: OpenedToken;
  try {
    result = open(request);
  } catch (error) {
    // A token that makes a parser throw is refused like any other. An unreadable key ends here too, so the operator gets the fault.
    result = refused('unverifiable', faultOf(error));
  }
  parentPort?.postMessage({ id: request.id, result } satisfies ThreadAnswer);
});

parentPort?.postMessage({ ready: true } satisfies ThreadReady);
