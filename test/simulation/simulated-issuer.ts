/** A 3DS provider with its issuer, which challenges each payer and keeps the answers. */
import type { Authenticated, ThreeDsProvider } from '../../shared/threeds-providers/provider.js';
import type { FaultPointKind } from './faults.js';
import type { Process } from './process.js';
import { TIMEOUT_MS } from './simulated-processor.js';
import type { World } from './world.js';

const TRAVEL_MS = 20;
const SLOW_MS = 9_000;
const commonFields = { version: '2.2.0', dsTransactionId: 'ds-1' } as const;
const passed: Authenticated = {
  ...commonFields,
  kind: 'authenticated',
  transStatus: 'Y',
  eci: '05',
  authenticationValue: 'Y2F2dg==',
};
const noAnswer = { kind: 'no-answer', internal: 'time-out' } as const;

export class SimulatedIssuer {
  /** Answers of payers, by session. */
  readonly #answers = new Map<string, 'passed' | 'refused'>();

  /** @param frictionless the issuer challenges no payer */
  constructor(
    private readonly world: World,
    private readonly frictionless: boolean,
  ) {}

  /** The payer answers the issuer. */
  answer(sessionId: string, answer: 'passed' | 'refused'): void {
    if (!this.#answers.has(sessionId)) this.#answers.set(sessionId, answer);
  }

  providerFor(process: Process): ThreeDsProvider {
    return {
      code: 'simulated',
      findMethod: async () => ({ kind: 'no-method' }),
      authenticate: () =>
        this.#exchange(process, 'send', 'authenticate', () =>
          this.frictionless
            ? passed
            : { ...commonFields, kind: 'challenge' as const, acsUrl: 'https://acs.test/', acsTransactionId: 'acs-1' },
        ),
      result: ({ sessionId }) =>
        this.#exchange(process, 'ask', 'result of the challenge', () => {
          const answer = this.#answers.get(sessionId);
          if (answer === undefined) return { kind: 'open' as const };
          return answer === 'passed'
            ? passed
            : { ...commonFields, kind: 'not-authenticated' as const, transStatus: 'N' as const };
        }),
      close: async () => undefined,
    };
  }

  /** Calls are idempotent: nothing is done here that could be lost. */
  #exchange<T>(process: Process, kind: FaultPointKind, label: string, read: () => T): Promise<T | typeof noAnswer> {
    const fault = this.world.passPoint(process, kind, label);
    if (fault === 'dies-before' || fault === 'dies-after') this.world.kill(process);
    if (fault === 'sleeps') this.world.sleep(process);
    const answered = fault === undefined || fault === 'slow' || fault === 'sleeps';
    const ms = answered ? (fault === 'slow' ? SLOW_MS : TRAVEL_MS) : TIMEOUT_MS / 2;
    return new Promise((resolve) => {
      this.world.after(ms, () => {
        const answer = answered ? read() : noAnswer;
        this.world.post(process, () => resolve(answer));
      });
    });
  }
}
