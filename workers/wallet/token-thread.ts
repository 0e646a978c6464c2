/** Manages the thread: starts it when it is first needed, ends it when a token takes too long, and starts another. */
import { Worker } from 'node:worker_threads';
import { limits } from '../../config/limits.js';
import { within } from '../../shared/clock.js';
import { type OpenedToken, refused } from '../../shared/wallets/credential.js';
import type { WalletTrustTexts } from '../../shared/wallets/load-trust.js';
import type { ThreadAnswer, ThreadReady, ThreadRequest, ThreadTrust } from './thread-protocol.js';

export interface TokenThread {
  /** Opens a token. @throws {Error} when the thread ended meanwhile: the opening is tried again. */
  open(request: Omit<ThreadRequest, 'id'>): Promise<OpenedToken>;
  /** Judges the following tokens by these roots and keys, which were parsed before. */
  replaceTrust(trust: WalletTrustTexts): void;
  close(): Promise<void>;
}

/** Returns the source of a thread that first registers the TypeScript loader. Only used when the pool runs from source. */
const fromSource = (url: URL) =>
  `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); })`;

/** Starts the thread from the build (scripts/bundle.mjs puts this code one folder below the programs), or from source. */
function startThread(trust: WalletTrustTexts): Worker {
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL('../workers/wallet/thread-main.js', import.meta.url), { workerData: trust });
  }
  const source = fromSource(new URL('./thread-main.ts', import.meta.url));
  return new Worker(source, { workerData: trust, eval: true });
}

/** Waits for one message of the thread, or for its end. */
interface Listener {
  readonly resolve: (answer: ThreadAnswer | ThreadReady) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Creates the manager of the thread. The thread gets one token at a time: neither its start nor earlier tokens use up the time limit of
 * a token. A valid token is not refused because the thread is busy.
 */
export function createTokenThread(
  firstTrust: WalletTrustTexts,
  times: { readonly startMs: number; readonly openMs: number } = {
    startMs: limits.walletThreadStartMs,
    openMs: limits.walletOpenMs,
  },
): TokenThread {
  let trust = firstTrust;
  let thread: Worker | undefined;
  let listener: Listener | undefined;
  let requests = 0;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  const end = (error: Error) => {
    const ended = thread;
    thread = undefined;
    listener?.reject(error);
    return ended?.terminate();
  };

  /** Waits for the next message of the thread; `late` after `withinMs`. @throws {Error} when the thread ends instead. */
  const nextMessage = async (withinMs: number): Promise<ThreadAnswer | ThreadReady | 'late'> => {
    const said = new Promise<ThreadAnswer | ThreadReady>((resolve, reject) => {
      listener = { resolve, reject };
    });
    try {
      return await within(withinMs, said, () => 'late' as const);
    } finally {
      listener = undefined;
    }
  };

  const running = async (): Promise<Worker> => {
    if (thread) return thread;
    const started = startThread(trust);
    thread = started;
    started.on('message', (message: ThreadAnswer | ThreadReady) => {
      if (thread === started) listener?.resolve(message);
    });
    started.on('error', (error) => {
      if (thread === started) void end(error);
    });
    if ((await nextMessage(times.startMs)) !== 'late') return started;
    await end(new Error('the thread did not start'));
    throw new Error('the thread did not start in time');
  };

  const openNext = async (request: Omit<ThreadRequest, 'id'>): Promise<OpenedToken> => {
    if (closed) throw new Error('the pool ends');
    const worker = await running();
    requests += 1;
    const answer = nextMessage(times.openMs);
    worker.postMessage({ ...request, id: requests } satisfies ThreadRequest);
    const message = await answer;
    if (message !== 'late' && 'result' in message && message.id === requests) return message.result;
    // A real token never takes so long. The other tokens are opened by the next thread.
    await end(new Error('the thread was ended: a token took too long'));
    return refused('unverifiable', 'it took too long');
  };

  return {
    open(request) {
      const opened = last.then(() => openNext(request));
      last = opened.catch(() => undefined);
      return opened;
    },
    replaceTrust(next) {
      trust = next;
      thread?.postMessage({ trust } satisfies ThreadTrust);
    },
    async close() {
      closed = true;
      await end(new Error('the pool ends'));
    },
  };
}
