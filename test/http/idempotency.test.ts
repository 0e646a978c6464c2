/** What is stored of a call under its `Idempotency-Key`, depending on how the call ended, and which keys get it again. */
import type { Request, Response } from 'express';
import type { IdempotencyDeps } from '../../api/deps.js';
import type { Endpoint } from '../../api/http/define-endpoint.js';
import { KeptAnswer, runOnce } from '../../api/http/idempotency.js';
import { keepState, type RequestState } from '../../api/http/request-state.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Principal } from '../../shared/domain/principal.js';
import { createLog } from '../../shared/log.js';
import type { IdempotencyStart } from '../../shared/store/idempotency.repository.js';

const claim = { rowId: 'row', token: 'token', seed: 'seed', resumed: false };
const primary: Principal = { clientId: 'cli_1', keyId: 'key_1', merchants: 'all' };
const secondary: Principal = { ...primary, keyId: 'key_2', merchants: [1001] };

interface Given {
  readonly run: () => unknown;
  readonly start?: IdempotencyStart;
  readonly principal?: Principal;
  readonly answerNotStored?: true;
  /** Whether storing the result of the call fails. */
  readonly broken?: true;
}

/** Makes one call with an idempotency key; `steps` lists what was done with its row. */
function callOnce({ run, start = { kind: 'claimed', claim }, principal = primary, answerNotStored, broken }: Given) {
  const steps: string[] = [];
  const note = (step: string) => async () => {
    steps.push(step);
    if (broken) throw new Error('MongoDB is away');
  };
  const deps = {
    rows: { start: async () => start, finish: note('finish'), abandon: note('abandon'), forget: note('forget') },
    digest: JSON.stringify,
    leaseMs: 1,
  } as unknown as IdempotencyDeps;
  const endpoint = { method: 'post', path: '/v1/things', idempotent: true, answerNotStored, responses: { 200: {} } };
  const headers = { 'idempotency-key': 'key' };
  const request = { method: 'POST', params: {}, body: {}, headers, headersDistinct: { 'idempotency-key': ['key'] } };
  const response = {} as Response;
  keepState(response, { principal, traceId: 'trace', log: createLog('test', 'silent') } as RequestState);
  const handler = { authorize: async () => undefined, run: async () => run() };
  const answer = runOnce(endpoint as unknown as Endpoint, request as unknown as Request, response, deps, handler);
  return { answer, steps };
}

const params = { paymentId: ['pay_1'] };

test.each<[string, string, unknown]>([
  ['a fault of ours: what has the id that was chosen may exist', 'abandon', new Error('a fault')],
  ['a database that is away', 'abandon', new GatewayError('timeout')],
  ['a conflict', 'finish', new GatewayError('conflict')],
  ['a conflict that passes', 'forget', new GatewayError('conflict', { retryAfterSeconds: 1 })],
  ['a declined payment', 'finish', new GatewayError('declined-by-acquirer', { params })],
  ['a declined card without a payment', 'forget', new GatewayError('declined-by-acquirer')],
  ['a refusal of a payment that exists', 'finish', new GatewayError('invalid-card-payment-method-token', { params })],
  ['a refusal that changed nothing', 'forget', new GatewayError('request-validation-errors')],
])('%s: the step is %s', async (_what, step, error) => {
  for (const broken of [undefined, true] as const) {
    const { answer, steps } = callOnce({ run: () => Promise.reject(error), ...(broken && { broken }) });
    await expect(answer).rejects.toBe(error);
    expect(steps).toEqual([step]);
  }
});

test('an answer is stored unless it holds a secret, and is returned even if it could not be stored', async () => {
  const made = { id: 'thing_1' };
  const once = callOnce({ run: () => made });
  expect([await once.answer, once.steps]).toEqual([made, ['finish']]);
  const secret = callOnce({ run: () => made, answerNotStored: true });
  expect([await secret.answer, secret.steps]).toEqual([made, ['abandon']]);
  expect(await callOnce({ run: () => made, broken: true }).answer).toBe(made);
});

test('each key sees the owner of a used reference by its own rights, not by those of the first key', async () => {
  const answered = (code: string): IdempotencyStart => ({
    ...{ kind: 'answered', status: 409, seed: 'seed' },
    body: JSON.stringify({ code, params: { existingId: ['pay_of_another_merchant'] } }),
  });
  const run = () => Promise.reject(new GatewayError('duplicated-reference-id'));
  const used = answered('duplicated-reference-id');
  expect(await callOnce({ run, start: used }).answer).toBeInstanceOf(KeptAnswer);
  await expect(callOnce({ run, start: used, principal: secondary }).answer).rejects.toMatchObject({
    code: 'duplicated-reference-id',
    params: undefined,
  });
  const other = callOnce({ run, start: answered('conflict'), principal: secondary });
  expect(await other.answer).toBeInstanceOf(KeptAnswer);
});
