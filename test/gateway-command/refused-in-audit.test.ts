/** What the audit entry of a refused command names, so that the entry can be found. */
import { randomBytes } from 'node:crypto';
import { exitCodes } from '../../scripts/gateway/run.js';
import { systemClock } from '../../shared/clock.js';
import { createAuditRepository } from '../../shared/store/audit.repository.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
beforeAll(async () => {
  operator = await openOperator('refused-in-audit');
});
afterAll(() => operator.close());

const secret = randomBytes(32).toString('base64');
/** Each case has its own operator: commands read the clock of MongoDB by themselves, so the newest entry need not be the last command. */
let operators = 0;

test.each([
  ['merchants suspend 999999', { object: '999999', merchantId: 999999 }],
  ['methods remove 999999 visa', { object: '999999/visa', merchantId: 999999 }],
  ['keys issue --client-id cli_0', { object: 'cli_0', clientId: 'cli_0' }],
  ['findings settle sandbox:missing:txn_none --note done', { object: 'sandbox:missing:txn_none' }],
  ['payments settle pay_none txn_none --outcome failed', { object: 'pay_none/txn_none', paymentId: 'pay_none' }],
  // A value that is no id is not stored: it may be a card number, a secret, or of any length.
  ['updates retry 4111111111111111', { object: 'installation' }],
  ['updates retry upd_4111111111111111', { object: 'installation' }],
  ['callbacks replay pay_none 4111-1111-1111-1111', { object: 'pay_none', paymentId: 'pay_none' }],
  [`keys revoke key_${'9a'.repeat(200)}`, { object: 'installation' }],
  [`keys revoke ${secret}`, { object: 'installation' }],
])('`gateway %s` is in the audit log with the object that it names', async (words, named) => {
  operators += 1;
  const actor = `operator:number-${operators}`;
  expect((await operator.gateway(`${words} --as number-${operators}`)).code).toBe(exitCodes.refused);
  const [entry] = await createAuditRepository(operator.database, systemClock).find({ actor });
  const { clientId, object, merchantId, paymentId, outcome } = entry ?? {};
  expect({ clientId, object, merchantId, paymentId, outcome }).toEqual({
    ...{ clientId: 'installation', merchantId: undefined, paymentId: undefined, outcome: 'refused' },
    ...named,
  });
});
