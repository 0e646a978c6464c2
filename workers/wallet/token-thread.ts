/** Holds the thread: starts it when it is first needed, ends it when a token takes too long, and starts another. */
import { Worker } from 'node:worker_threads';
import { limits } from '../../config/limits.js';
import { type OpenedToken, refused } from '../../shared/wallets/credential.js';
import type { WalletTrustTexts } from '../../shared/wallets/load-trust.js';
import type { ThreadAnswer, ThreadRequest, ThreadTrust } from './thread-protocol.js';

export interface TokenThread {
  /** @throws {Error} when the thread ended meanwhile: the opening is tried again. */
  open(request: Omit<ThreadRequest, 'id'>): Promise<OpenedToken>;
  /** From the next token on it is judged by these; they were parsed before. */
  replaceTrust(trust: WalletTrustTexts): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (result: OpenedToken) => void;
  readonly reject: (error: Error) => void;
}

/** Where the pool runs from source, the thread is told first how to read it. */
const fromSource = (url: URL) =>
  `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); })`;

/** Compiled beside this file, or as source. */
function startThread(trust: WalletTrustTexts): Worker {
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL('./thread-main.js', import.meta.url), { workerData: trust });
  }
  const source = fromSource(new URL('./thread-main.ts', import.meta.url));
  return new Worker(source, { workerData: trust, eval: true });
}

export function createTokenThread(firstTrust: WalletTrustTexts): TokenThread {
  let trust = firstTrust;
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let requests = 0;

  const end = (error: Error) => {
    const ended = thread;
    thread = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    return ended?.terminate();
  };

  const running = (): Worker => {
    if (thread) return thread;
    const started = startThread(trust);
    started.on('message', ({ id, result }: ThreadAnswer) => {
      waiting.get(id)?.resolve(result);
      waiting.delete(id);
    });
    started.on('error', (error) => {
      if (thread === started) void end(error);
    });
    thread = started;
    return started;
  };

  return {
    async open(request) {
      requests += 1;
      const id = requests;
      let timer: NodeJS.Timeout | undefined;
      const answered = new Promise<OpenedToken>((resolve, reject) => waiting.set(id, { resolve, reject }));
      const late = new Promise<OpenedToken>((resolve) => {
        timer = setTimeout(() => {
          // Whatever it is that takes so long, it is no token; the others are opened by the next thread.
          waiting.delete(id);
          resolve(refused('unverifiable'));
          void end(new Error('the thread was ended: a token took too long'));
        }, limits.walletOpenMs);
      });
      running().postMessage({ ...request, id });
      try {
        return await Promise.race([answered, late]);
      } finally {
        clearTimeout(timer);
      }
    },
    replaceTrust(next) {
      trust = next;
      thread?.postMessage({ trust } satisfies ThreadTrust);
    },
    close: async () => void (await end(new Error('the pool ends'))),
  };
}
