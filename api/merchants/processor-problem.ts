import { isProcessorCode } from '../../shared/processors/capabilities.js';

export interface ChargeContext {
  readonly environment: 'testing' | 'production';
  /** Processors that this installation is configured for; absent when unknown. */
  readonly installed?: ReadonlySet<string> | undefined;
}

/** Why nothing can be sent to this processor, as the end of a sentence about a method; undefined when something can. */
export function processorProblem(code: string, { environment, installed }: ChargeContext): string | undefined {
  // In testing the pools decide: they answer as if the processor did not respond.
  if (environment === 'production' && !isProcessorCode(code)) {
    return `names the processor "${code}", which this release does not have`;
  }
  if (installed && !installed.has(code)) {
    return `names the processor "${code}", for which this installation is not configured`;
  }
  return undefined;
}
