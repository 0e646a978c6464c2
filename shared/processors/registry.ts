/**
 * THE LIST of processor adapters. A new adapter is a folder, its settings in `config/processor-settings.ts` and a line here
 * (`npm run new:processor` makes them); `npm run generate` reads from this list what each adapter can do.
 */
import type { Config } from '../../config/index.js';
import type { ProcessorSettingName } from '../../config/processor-settings.js';
import type { Log } from '../log.js';
import type { Database } from '../store/database.js';
import { openAdyen } from './adyen/open-adyen.js';
import { checkAnswers } from './check-answers.js';
import { openIso8583 } from './iso8583/open-iso8583.js';
import type { Processor } from './processor.js';
import { createSandboxProcessor } from './sandbox/create-sandbox-processor.js';
import type { Personality } from './sandbox/wire.js';
import { openStripe } from './stripe/open-stripe.js';

export type ProcessorConfig = Pick<Config, 'sandboxProcessorUrl' | 'processorTimeoutMs'> &
  Partial<Pick<Config, ProcessorSettingName | 'environment'>>;

/** Creates an adapter; `undefined` when this installation is not configured for it. */
type Create = (config: ProcessorConfig, log: Log, database: Database) => Processor | undefined;

const sandbox =
  (personality: Personality): Create =>
  ({ sandboxProcessorUrl: baseUrl, processorTimeoutMs: timeoutMs }, log) =>
    baseUrl === undefined ? undefined : createSandboxProcessor({ baseUrl, personality, timeoutMs, log });

const adapters = {
  sandbox: sandbox('idempotent'),
  'sandbox-forgetful': sandbox('forgetful'),
  'sandbox-lagging': sandbox('lagging'),
  iso8583: openIso8583,
  stripe: openStripe,
  adyen: openAdyen,
} as const satisfies Record<string, Create>;

export interface Processors {
  /** `undefined` for a code that is unknown or not configured here. */
  get(code: string): Processor | undefined;
  /** Codes that `get` returns a processor for. */
  readonly codes: readonly string[];
  close(): Promise<void>;
}

/** Creates every adapter that is configured. Connections are opened when they are first needed. */
export function createProcessors(config: ProcessorConfig, log: Log, database: Database): Processors {
  const made = new Map<string, Processor>();
  for (const [code, create] of Object.entries(adapters) as [string, Create][]) {
    const processor = create(config, log, database);
    if (processor !== undefined) made.set(code, checkAnswers(processor, log));
  }
  return {
    get: (code) => made.get(code),
    codes: [...made.keys()],
    async close() {
      await Promise.all([...made.values()].map((processor) => processor.close()));
    },
  };
}
