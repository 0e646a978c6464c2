/** The pool of bank transfers: has codes issued, asks the bank whether they were paid, and lets them run out. */
import { limits } from '../../config/limits.js';
import type { QrWorkKind } from '../../shared/domain/payment/payment.js';
import type { Pool } from '../define-worker.js';
import { createPaymentWork } from '../payment-work.js';
import { handleTransfer } from './await-transfer.handler.js';
import { checkTransfers } from './check-transfers.js';
import type { Claimed, QrPoolDeps } from './context.js';
import { handleIssue } from './issue-code.handler.js';

/** Twice is once: a code is asked for by its key, and asking moves no money. */
type Handler = (deps: QrPoolDeps, claimed: Claimed) => Promise<string>;

const handlers = {
  'issue-code': handleIssue,
  'await-transfer': handleTransfer,
} as const satisfies Record<QrWorkKind, Handler>;

export function createQrPool(deps: QrPoolDeps): Pool {
  const { jobs, sweep, close } = createPaymentWork('qr', deps, (claimed) => {
    const processor = deps.processors.get(claimed.payment.processor);
    return handlers[claimed.work.kind as QrWorkKind](deps, { ...claimed, processor });
  });
  return {
    name: 'qr',
    jobs,
    async sweep() {
      const { found, more } = await sweep();
      const checked = await checkTransfers(deps);
      return { found: found + checked, more: more || checked === limits.sweepPageMax };
    },
    close: async () => close(),
  };
}
