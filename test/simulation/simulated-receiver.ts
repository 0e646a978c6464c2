/** Receives the callbacks of a merchant, and records each. */
import type { CallbackPost, CallbackPoster, PostResult } from '../../workers/callback/post-callback.js';
import type { Process } from './process.js';
import type { World } from './world.js';

const TRAVEL_MS = 20;
const TIMEOUT_MS = 10_000;

export class SimulatedReceiver {
  readonly received: CallbackPost[] = [];

  /** @param failuresLeft number of the first callbacks that are answered with 500 */
  constructor(
    private readonly world: World,
    private failuresLeft: number,
  ) {}

  posterFor(process: Process): CallbackPoster {
    return { post: (callback) => this.#post(process, callback), close: async () => undefined };
  }

  #post(process: Process, callback: CallbackPost): Promise<PostResult> {
    const { world } = this;
    const fault = world.passPoint(process, 'post', 'callback');
    if (fault !== 'dies-before' && fault !== 'lost' && fault !== 'refused') {
      world.note(`received ${callback.url} ${callback.eventId.slice(0, 8)}`);
      this.received.push(callback);
    }
    if (fault === 'dies-before' || fault === 'dies-after') world.kill(process);
    const silent = fault === 'lost' || fault === 'silent';
    const status = fault === 'refused' || this.failuresLeft > 0 ? 500 : 200;
    this.failuresLeft -= 1;
    const ms = silent ? TIMEOUT_MS : TRAVEL_MS;
    return new Promise((resolve) => {
      const result: PostResult = silent
        ? { kind: 'no-answer', error: 'timeout', ms }
        : { kind: 'answered', status, ms };
      world.postAfter(process, ms, () => resolve(result));
    });
  }
}
