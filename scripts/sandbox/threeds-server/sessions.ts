/**
 * The state of the mock 3D Secure server in memory: what `preauth` prepared, and how `auth` and the payer continued. It includes
 * directory and issuer: the card number decides the behaviour (cases.ts).
 */
import { createHash, randomUUID } from 'node:crypto';
import type { AReq, ARes, CardRange, RReq } from '../../../shared/threeds-providers/emv3ds/messages.js';
import type { PayerChoice } from '../simulator/issuer.js';
import { areqFaults } from './areq-rules.js';
import { type Case, caseOf } from './cases.js';

export interface ServerSession {
  readonly id: string;
  readonly number: string;
  readonly preparedAt: number;
  readonly case: Case;
  readonly dsTransID: string;
  readonly acsTransID: string;
  areq?: AReq;
  /** Set once the page of the 3DS method was loaded. */
  looked?: true;
  choice?: PayerChoice;
  answeredAt?: number;
}

export interface Erro {
  readonly messageType: 'Erro';
  readonly messageVersion: string;
  readonly errorCode: string;
  readonly errorComponent: 'S' | 'D' | 'A';
  readonly errorDescription: string;
  readonly errorDetail: string;
  readonly threeDSServerTransID?: string;
}

/** Times of the reference: how long the id is known after `preauth`, and the result after the challenge. */
const PREPARED_MS = 80_000;
const RESULT_MS = 300_000;
const SESSIONS_MAX = 20_000;

export const erro = (errorCode: string, errorDescription: string, errorDetail: string, id?: string): Erro => ({
  messageType: 'Erro',
  messageVersion: '2.2.0',
  errorCode,
  errorComponent: 'S',
  errorDescription,
  errorDetail,
  ...(id !== undefined && { threeDSServerTransID: id }),
});

const unknownSession = (id: string) =>
  erro('203', 'Unknown threeDSServerTransID', 'Unknown threeDSServerTransID', /^[\w-]{1,36}$/.test(id) ? id : '');

const cavvOf = ({ dsTransID, number }: ServerSession) =>
  createHash('sha1').update(`${dsTransID}:${number}`).digest('base64');
const eciOf = (number: string, full: boolean) => (/^[25]/.test(number) ? (full ? '02' : '01') : full ? '05' : '06');

const identified = ({ id, areq, dsTransID, acsTransID }: ServerSession) => ({
  messageVersion: areq?.messageVersion ?? '2.2.0',
  threeDSServerTransID: id,
  dsTransID,
  acsTransID,
});

const proofOf = (session: ServerSession, full: boolean) => ({
  eci: eciOf(session.number, full),
  authenticationValue: cavvOf(session),
});

type FinalTransStatus = Extract<ARes['transStatus'], 'Y' | 'A' | 'N' | 'R' | 'U' | 'D' | 'I'>;

const answers = (session: ServerSession) => ({
  messageType: 'ARes' as const,
  ...identified(session),
  acsOperatorID: 'mock-acs',
  acsReferenceNumber: 'mock-acs',
  dsReferenceNumber: 'mock-ds',
});

/** Builds the ARes of a valid outcome. */
function toARes(session: ServerSession, outcome: FinalTransStatus | 'C', acsURL: string): object {
  const base = { ...answers(session), transStatus: outcome };
  if (outcome === 'C') return { ...base, acsURL, acsChallengeMandated: 'N', authenticationType: '02' };
  if (outcome === 'Y' || outcome === 'A') return { ...base, ...proofOf(session, outcome === 'Y') };
  return { ...base, transStatusReason: '01' };
}

const isFinalTransStatus = (outcome: string): outcome is FinalTransStatus => /^[YANRUDI]$/.test(outcome);

/** Response on the wire: a proper answer or a faulty one. */
export type Answer =
  | { readonly kind: 'json'; readonly status?: number; readonly body: object }
  | { readonly kind: 'text'; readonly status: number; readonly text: string }
  | { readonly kind: 'slow'; readonly body: object }
  | { readonly kind: 'cut-off' };

const json = (body: object, status?: number): Answer => ({ kind: 'json', body, ...(status && { status }) });

/** Returns the answer that a test case asks for, most of them broken in one way. */
function prepareBrokenAnswer(session: ServerSession, acsUrl: string): Answer {
  const validAnswer = toARes(session, 'Y', acsUrl);
  const { outcome } = session.case;
  if (isFinalTransStatus(outcome)) return json(toARes(session, outcome, acsUrl));
  if (outcome === 'no-json') return { kind: 'text', status: 200, text: '<html>not JSON</html>' };
  if (outcome === 'other-session') return json({ ...validAnswer, threeDSServerTransID: randomUUID() });
  if (outcome === 'slow') return { kind: 'slow', body: validAnswer };
  if (outcome === 'refused-field') return json(erro('203', 'Invalid field', 'acctNumber', session.id), 400);
  if (outcome === 'too-large') return json({ ...validAnswer, padding: 'x'.repeat(1_000_000) });
  if (outcome === 'cut-off') return { kind: 'cut-off' };
  if (outcome === 'status-500') return json(validAnswer, 500);
  if (outcome === 'no-value') return json({ ...validAnswer, authenticationValue: undefined });
  if (outcome === 'other-version') return json({ ...validAnswer, messageVersion: '2.3.1' });
  if (outcome === 'directory-timeout') {
    return json(erro('405', 'Unable to contact Directory Server', 'Connection timeout', session.id), 500);
  }
  return json(toARes(session, 'C', acsUrl));
}

const cancelIndicators: Readonly<Partial<Record<PayerChoice, string>>> = { cancel: '01', abandon: '04' };

function toRReq(session: ServerSession, choice: PayerChoice): RReq & Readonly<Record<string, unknown>> {
  const base = {
    messageType: 'RReq',
    ...identified(session),
    messageCategory: '01',
    authenticationType: '02',
    interactionCounter: '01',
  } as const;
  if (choice === 'approve') return { ...base, transStatus: 'Y', ...proofOf(session, true) };
  const challengeCancel = cancelIndicators[choice];
  return { ...base, transStatus: 'N', transStatusReason: '01', ...(challengeCancel && { challengeCancel }) };
}

export type Sessions = ReturnType<typeof createSessions>;

/** @param timeScale divides every wait */
export function createSessions(now: () => number, timeScale: number) {
  const sessions = new Map<string, ServerSession>();
  const byAcs = new Map<string, ServerSession>();

  function prepare(number: string, methodUrl: string): CardRange | Erro {
    const found = caseOf(number);
    if (!found) return erro('305', 'Unknown BIN', 'No card range of a known directory has this number');
    const session: ServerSession = {
      id: randomUUID(),
      number,
      preparedAt: now(),
      case: found,
      dsTransID: randomUUID(),
      acsTransID: randomUUID(),
    };
    sessions.set(session.id, session);
    byAcs.set(session.acsTransID, session);
    const [oldest] = sessions.size > SESSIONS_MAX ? sessions.entries() : [];
    if (oldest) {
      sessions.delete(oldest[0]);
      byAcs.delete(oldest[1].acsTransID);
    }
    const [first = '', last = first] = found.versions;
    const method = found.method === 'none' ? {} : { threeDSMethodURL: methodUrl };
    return {
      messageType: 'CRD',
      threeDSServerTransID: session.id,
      acsStartProtocolVersion: first,
      acsEndProtocolVersion: last,
      dsStartProtocolVersion: '2.1.0',
      dsEndProtocolVersion: '2.3.1',
      dsProtocolVersions: ['2.1.0', '2.2.0', '2.3.1'],
      acsProtocolVersions: found.versions.map((version) => ({ version, ...method })),
      ...method,
    };
  }

  /** An expired or used id is unknown. The reference leaves the second use open, and this is the stricter answer. */
  function authenticate(areq: AReq, acsUrl: string): Answer {
    const id = String(areq.threeDSServerTransID);
    const session = sessions.get(id);
    const fresh = session && !session.areq && now() - session.preparedAt <= PREPARED_MS / timeScale;
    if (!session || !fresh || areq.acctNumber !== session.number) return json(unknownSession(id), 404);
    const { missing, wrong } = areqFaults(areq as unknown as Record<string, unknown>);
    if (missing.length > 0) {
      return json(erro('201', 'Required Data Element Missing', missing.join(), id), 400);
    }
    if (wrong.length > 0) return json(erro('203', 'Invalid Data Element', wrong.join(), id), 400);
    if (!session.case.versions.includes(areq.messageVersion)) {
      return json(erro('102', 'Message Version Number Not Supported', areq.messageVersion, id), 400);
    }
    session.areq = areq;
    return prepareBrokenAnswer(session, acsUrl);
  }

  function result(id: string): RReq | Erro {
    const session = sessions.get(id);
    const { choice, answeredAt } = session ?? {};
    const kept = answeredAt !== undefined && now() - answeredAt <= RESULT_MS / timeScale;
    return session && choice && kept ? toRReq(session, choice) : unknownSession(id);
  }

  return {
    prepare,
    authenticate,
    result,
    find: (id: string) => sessions.get(id),
    challenge: (acsTransID: string) => byAcs.get(acsTransID),
    choose(session: ServerSession, choice: PayerChoice): void {
      session.choice ??= choice;
      session.answeredAt ??= now();
    },
  };
}
