/** The 409 of a used reference: a key learns of an object only if it may see it (docs/security.md#hidden-references). */
import { duplicateReference, type ReferenceHolder } from '../../api/http/duplicate-reference.js';
import type { Principal } from '../../shared/domain/principal.js';

const holder = { id: 'pay_1', status: 'approved', sameRequest: true } as const;
const shown = { existingId: ['pay_1'], existingStatus: ['approved'], sameRequest: ['true'] };
const hidden = { existingId: [''], existingStatus: [''], sameRequest: ['false'] };

test.each<[string, Principal['merchants'], ReferenceHolder['merchantId'], object]>([
  ['of all merchants', 'all', 1, shown],
  ['of all merchants', 'all', undefined, shown],
  ['of one merchant', [1], 1, shown],
  ['of one merchant', [1], 2, hidden],
  // A session of some merchant has it.
  ['of one merchant', [1], undefined, hidden],
  ['of one merchant', [1], 'client', shown],
])('for a key %s (%j) and a holder of merchant %j', (_of, merchants, merchantId, params) => {
  const refusal = duplicateReference({ merchants }, { ...holder, merchantId });
  expect(refusal).toMatchObject({ code: 'duplicated-reference-id', status: 409, params });
});
