/**
 * The pool of QR codes. For bank transfers: has codes issued, asks the bank whether they were paid, and lets them expire. For payment
 * links: draws the pictures of their addresses.
 */
import { limits } from '../../config/limits.js';
import type { QrWorkKind } from '../../shared/domain/payment/payment.js';
import { createProcessors } from '../../shared/processors/registry.js';
import { drawLinkPicture } from '../../shared/queue/draw-link.job.js';
import { createMerchantRepository } from '../../shared/store/merchant.repository.js';
import { createMerchantPaymentMethodRepository } from '../../shared/store/merchant-payment-method.repository.js';
import { createPaymentLinkRepository } from '../../shared/store/payment-link.repository.js';
import { createPaymentWork, forPayments } from '../payment-work.js';
import { type Opening, onJob, type Pool, type PoolDeps } from '../pool.js';
import { sweepWorkAndParts, withoutOverlap } from '../sweep-parts.js';
import { handleTransfer, type TransferDeps } from './await-transfer.handler.js';
import { checkTransfers } from './check-transfers.js';
import { type DrawDeps, drawForgotten, handleDraw } from './draw-link.handler.js';
import { handleIssue, type IssueDeps } from './issue-code.handler.js';

/** Idempotent: a code is requested by its key, and the request moves no money. */
const handlers = {
  'issue-code': handleIssue,
  'await-transfer': handleTransfer,
} as const satisfies Record<QrWorkKind, unknown>;

type QrPoolDeps = TransferDeps & IssueDeps & DrawDeps & Pick<PoolDeps, 'batchWrites'>;

export function createQrPool(deps: QrPoolDeps): Pool {
  const checkRound = withoutOverlap(deps, 'checked', () => checkTransfers(deps));
  const { jobs, sweep, idle, close } = createPaymentWork('qr', deps, (claimed) =>
    handlers[claimed.work.kind as QrWorkKind](deps, claimed),
  );
  return {
    name: 'qr',
    jobs: [...jobs, onJob(drawLinkPicture, ({ linkId }) => handleDraw(deps, linkId))],
    async sweep() {
      const { found, more, parts } = await sweepWorkAndParts(deps, sweep, {
        checked: checkRound,
        drawn: () => drawForgotten(deps),
      });
      const { checked, drawn } = parts;
      return { found: found + checked + drawn, more: more || [checked, drawn].includes(limits.sweepPageMax) };
    },
    idle,
    close: async () => close(),
  };
}

export function openPool({ config, redis, ...given }: Opening<'qr'>): Pool {
  const processors = createProcessors(config, given.log, given.database);
  const pool = createQrPool({
    ...given,
    ...forPayments({ config, redis, log: given.log }),
    processors,
    merchants: createMerchantRepository(given.database, given.clock),
    methods: createMerchantPaymentMethodRepository(given.database, given.clock),
    links: createPaymentLinkRepository(given.database),
  });
  return {
    ...pool,
    async close() {
      await pool.close();
      await processors.close();
    },
  };
}
