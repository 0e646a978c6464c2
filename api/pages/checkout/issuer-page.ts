import { approvalUrlOf } from '../../../shared/contract/present-payment.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { waitsForPayer } from '../../../shared/domain/threeds/plan-authentication.js';

/**
 * Returns the page that leads to the issuer, while the issuer waits for the payer. Undefined once the payer is back and the answer is
 * being fetched: that page would then redirect to the checkout, and the two would redirect to each other without end.
 */
export const issuerPageOf = (payment: Payment): string | undefined =>
  waitsForPayer(payment) ? approvalUrlOf(payment) : undefined;
