/** Applies updates about operations that were done at the processor and not by the gateway. */
import { limits } from '../../config/limits.js';
import {
  type ExternalOperationPlan,
  planExternalOperation,
} from '../../shared/domain/reconcile/plan-external-operation.js';
import type { ExternalOperation } from '../../shared/processors/updates.js';
import { changePayment, type Plan, planContext } from '../payment-work.js';
import { applied, later, type UpdateDeps, type UpdateResult, type UpdateSubject } from './update-result.js';

export async function applyExternalOperation(
  deps: UpdateDeps,
  { payment }: UpdateSubject,
  done: ExternalOperation,
): Promise<UpdateResult> {
  const traits = deps.processors.get(payment.processor)?.traits;
  if (!traits) return later('its processor has no settings here');
  let planned: ExternalOperationPlan = { kind: 'nothing' };
  const plan: Plan = (current) => {
    planned = planExternalOperation(current, done, { ...planContext(deps), traits, bounds: limits });
    return planned.kind === 'planned' ? planned.payment : undefined;
  };
  const saved = await changePayment(deps, payment, plan);
  const said = planned as ExternalOperationPlan;
  if (said.kind === 'busy')
    return later('it was done at the processor, and another operation is in progress, or not heard of yet');
  if (!saved || said.kind !== 'planned') return applied('it says nothing new');
  return applied(said.note);
}
