/** `reconcile` on a real MongoDB: what it says where there is nothing to compare, and what scripts read. */
import { exitCodes } from '../../scripts/gateway/run.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
beforeAll(async () => {
  operator = await openOperator('reconcile_command', { STRIPE_MERCHANT_ACCOUNTS: 'true' });
});
afterAll(() => operator.close());

test.each(['reconcile --processor stripe', 'reconcile --processor stripe --import'])(
  '%s compares nothing, and says so',
  async (command) => {
    const { code, out } = await operator.gateway(command);
    expect([code, out]).toEqual([
      exitCodes.refused,
      expect.stringMatching(/Cannot be listed: stripe\..*\nNothing was/),
    ]);
    expect(out).not.toMatch(/Nothing differs/);
  },
);
