import type { Config } from '../../../config/index.js';
import { limits } from '../../../config/limits.js';
import { ClientLimits } from './admission.js';
import { Backlog } from './backlog.js';
import { Dispatch } from './dispatch.js';
import { HostLimits } from './host-limits.js';
import { SendQueue } from './send-queue.js';

/** Makes a dispatch with the bounds of `config/callback-limits.ts`. */
export function createDispatch(config: Pick<Config, 'timeScale' | 'workerConcurrency'>): Dispatch {
  const { timeScale, workerConcurrency: concurrency } = config;
  const ofClient = Math.floor(concurrency * limits.callbackClientShare);
  return new Dispatch({
    hostLimits: new HostLimits({
      perReceiverMax: limits.callbackPerClientAtHostMax,
      perHostMax: limits.callbackPerHostMax,
      slowPerHostMax: limits.callbackSlowPerHostMax,
      failuresMax: limits.breakerFailures,
      openMs: limits.breakerOpenMs / timeScale,
      openMsMax: limits.breakerOpenMsMax / timeScale,
    }),
    clientLimits: new ClientLimits(Math.max(limits.callbackPerClientAtHostMax, ofClient)),
    queue: new SendQueue({
      perReceiverMax: limits.callbackSendQueuePerReceiverMax,
      perHostMax: limits.callbackSendQueuePerHostMax,
      perClientMax: Math.max(1, ofClient),
      max: Math.floor(concurrency * limits.callbackSendQueueShare),
    }),
    backlog: new Backlog(),
    concurrency,
  });
}
