/** Asks about codes that are over: money may arrive late, or twice. What came is recorded, flagged and announced. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planChecked } from '../../shared/domain/payment/plan-transfer.js';
import { askBank } from './await-transfer.handler.js';
import { type QrPoolDeps, transferContext } from './context.js';
import { hintAtNews, tellOperator } from './record.js';

async function check(deps: QrPoolDeps, payment: Payment): Promise<void> {
  const news = await askBank(deps.processors.get(payment.processor), payment, deps.clock.now());
  const saved = await deps.payments.update(payment, (current) => planChecked(current, news, transferContext(deps)));
  if (!saved) return;
  tellOperator(deps, payment, saved);
  hintAtNews(deps, saved);
}

/** One page of what is due; answers how many payments were looked at. */
export async function checkTransfers(deps: QrPoolDeps): Promise<number> {
  const due = await deps.payments.findTransferChecks(deps.clock.now(), limits.sweepPageMax);
  await Promise.all(
    due.map((payment) =>
      check(deps, payment).catch((error: unknown) => {
        deps.log.warn('transfer.not-checked', { paymentId: payment._id, error });
      }),
    ),
  );
  return due.length;
}
