import { approvalUrlOf } from '../../../shared/contract/present-payment.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { waitsForPayer } from '../../../shared/domain/threeds/plan-authentication.js';

/**
 * The page on the way to the issuer, while the issuer waits for the payer. None once the payer came back and the answer is
 * being fetched: from there that page leads back to the checkout, round and round until the browser gives up.
 */
export const issuerPageOf = (payment: Payment): string | undefined =>
  waitsForPayer(payment) ? approvalUrlOf(payment) : undefined;
