import { isProcessorCode } from '../../shared/processors/capabilities.js';

export interface ChargeContext {
  readonly environment: 'testing' | 'production';
  /** Processors that this installation is configured for; absent: that is not known here. */
  readonly installed?: ReadonlySet<string> | undefined;
}

/** Why nothing can be sent to this processor, as the end of a sentence about a method; undefined when it can. */
export function processorProblem(code: string, { environment, installed }: ChargeContext): string | undefined {
  // In testing it is left to the pools, which answer as they do for a processor that is away.
  if (environment === 'production' && !isProcessorCode(code)) {
    return `names the processor "${code}", which this release does not have`;
  }
  if (installed && !installed.has(code)) {
    return `names the processor "${code}", for which this installation is not configured`;
  }
  return undefined;
}
