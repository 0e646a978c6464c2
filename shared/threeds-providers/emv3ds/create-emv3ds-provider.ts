/**
 * The adapter to a 3D Secure server that uses EMV 3DS as JSON over HTTP: `preauth` returns the card's range and an id, `auth` carries AReq
 * and ARes, `postauth` the RReq after a challenge (docs/threeds-server.md).
 */
import { readFileSync } from 'node:fs';
import type { Config } from '../../../config/index.js';
import { limits } from '../../../config/limits.js';
import { createHttpExchange, type Exchange } from '../../processors/http-exchange.js';
import type { ProbeResult } from '../../processors/processor.js';
import type {
  AuthenticationAnswer,
  AuthenticationRequest,
  MethodAnswer,
  MethodRequest,
  ResultAnswer,
  ThreeDsProvider,
} from '../provider.js';
import { buildAReq, obstacleOf, type Requestor } from './build-areq.js';
import type { AReq, MessageVersion } from './messages.js';
import { noAnswer, toAuthentication, toRange, toResult } from './read-answers.js';

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

export interface Emv3dsOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly apiKeyHeader: string;
  readonly requestor: Requestor;
  /** Certificate authority in PEM. */
  readonly ca?: string | undefined;
  /** Deadline of an authentication (ms). */
  readonly timeoutMs?: number;
}

interface Call {
  /** Absent for a probe, which is about no payment. */
  readonly traceId?: string;
  /** Deadline of this call; by default that of an authentication. */
  readonly timeoutMs?: number;
}

const messageTypeOf = (json: unknown) => (json as { messageType?: unknown } | null | undefined)?.messageType;

export function createEmv3dsProvider(options: Emv3dsOptions): ThreeDsProvider {
  const { url, apiKey, apiKeyHeader, requestor, ca, timeoutMs = limits.emv3dsAnswerMs } = options;
  const http = createHttpExchange({ baseUrl: url, timeoutMs, ca });
  const secure = url.startsWith('https:');
  const lookupMs = Math.min(limits.emv3dsLookupMs, timeoutMs);

  const post = (path: string, body: object, { traceId, timeoutMs: ownMs }: Call): Promise<Exchange> =>
    http.exchange({
      method: 'POST',
      path,
      body,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        accept: 'application/json',
        [apiKeyHeader]: apiKey,
        ...(traceId !== undefined && { 'x-trace-id': traceId }),
      },
      bytesMax: limits.emv3dsResponseBytesMax,
      ...(ownMs !== undefined && { timeoutMs: ownMs }),
    });

  /** Returns the JSON of an answer, also of an error: only an error may have another status than 200. */
  async function ask(path: string, body: object, call: Call) {
    const exchange = await post(path, body, call);
    if (exchange.kind !== 'answered') return noAnswer(exchange.internal);
    const { status, json } = exchange;
    return status === 200 || messageTypeOf(json) === 'Erro' ? { json } : noAnswer(`status ${status}`);
  }

  async function lookUp({ card, traceId }: MethodRequest) {
    const answered = await ask('/preauth', { acctNumber: card.number }, { traceId, timeoutMs: lookupMs });
    return 'kind' in answered ? answered : toRange(answered.json, secure);
  }

  async function authenticateAs(
    request: AuthenticationRequest,
    step: { reference: string; version: MessageVersion },
    completion: AReq['threeDSCompInd'],
  ): Promise<AuthenticationAnswer | 'unknown-session'> {
    if (step.version === '2.1.0' && request.browser.javascriptEnabled === false) {
      return { kind: 'impossible', internal: 'version 2.1.0 knows no browser without scripts' };
    }
    const areq = buildAReq(request, requestor, { ...step, completion });
    const answered = await ask('/auth', areq, { traceId: request.traceId });
    return 'kind' in answered ? answered : toAuthentication(answered.json, step, request, secure);
  }

  return {
    code: 'emv3ds',

    async findMethod(request): Promise<MethodAnswer> {
      const range = await lookUp(request);
      if ('kind' in range) return range;
      const { methodUrl, reference, version } = range;
      const prepared = { reference, version };
      return methodUrl === undefined ? { kind: 'no-method', prepared } : { kind: 'method', url: methodUrl, prepared };
    },

    async authenticate(request): Promise<AuthenticationAnswer> {
      const obstacle = obstacleOf(request);
      if (obstacle !== undefined) return { kind: 'impossible', internal: obstacle };
      const { prepared, methodCompletion } = request;
      if (prepared) {
        const { reference, version } = prepared;
        const step = { reference, version: version as MessageVersion };
        const answer = await authenticateAs(request, step, methodCompletion);
        if (answer !== 'unknown-session') return answer;
      }
      const range = await lookUp(request);
      if ('kind' in range) return range;
      // The issuer did not get to inspect the browser under this id, if it wanted to.
      const answer = await authenticateAs(request, range, range.methodUrl === undefined ? 'U' : 'N');
      return answer === 'unknown-session' ? noAnswer('the server does not know what it has just prepared') : answer;
    },

    async result(request): Promise<ResultAnswer> {
      const { reference, version, traceId } = request;
      if (reference === undefined || version === undefined) return noAnswer('the challenge has no reference');
      const answered = await ask('/postauth', { threeDSServerTransID: reference }, { traceId });
      return 'kind' in answered ? answered : toResult(answered.json, request, { reference, version });
    },

    /** A look-up without a card: the server refuses it, but only after it has checked the key. */
    probe: async () => toProbe(await post('/preauth', {}, { timeoutMs: lookupMs })),

    close: () => http.close(),
  };
}

/** Judges the answer to a probe: an `Erro` shows that a 3D Secure server answered; any other answer is not from such a server. */
function toProbe(exchange: Exchange): ProbeResult {
  const refused = { kind: 'unreachable', internal: 'it refuses the key' } as const;
  if (exchange.kind !== 'answered') {
    // Some servers refuse the key with a plain-text answer.
    return / status 40[13]$/.test(exchange.internal) ? refused : { kind: 'unreachable', internal: exchange.internal };
  }
  const { status, json } = exchange;
  if (status === UNAUTHORIZED || status === FORBIDDEN) return refused;
  const type = messageTypeOf(json);
  if (type === 'Erro' || type === 'CRD') return { kind: 'reachable', detail: 'it answers and takes the key' };
  return { kind: 'unreachable', internal: `it answers with status ${status} and no message of EMV 3DS` };
}

/** The settings of the server. */
export type ServerConfig = Pick<
  Config,
  | 'emv3dsUrl'
  | 'emv3dsApiKey'
  | 'emv3dsApiKeyHeader'
  | 'emv3dsRequestorUrl'
  | 'emv3dsRequestorId'
  | 'emv3dsRequestorName'
  | 'emv3dsTlsCaFile'
>;

/** Opens the adapter; `undefined`: this installation has no settings for it. */
export function openEmv3dsProvider(config: ServerConfig): ThreeDsProvider | undefined {
  const { emv3dsUrl: url, emv3dsApiKey: apiKey, emv3dsApiKeyHeader: apiKeyHeader, emv3dsRequestorUrl } = config;
  if (url === undefined || apiKey === undefined || emv3dsRequestorUrl === undefined) return undefined;
  return createEmv3dsProvider({
    url,
    apiKey,
    apiKeyHeader,
    requestor: { url: emv3dsRequestorUrl, id: config.emv3dsRequestorId, name: config.emv3dsRequestorName },
    ca: config.emv3dsTlsCaFile === undefined ? undefined : readFileSync(config.emv3dsTlsCaFile, 'utf8'),
  });
}
