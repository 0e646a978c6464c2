/**
 * The mock issuer with its access control server (ACS): answers authentication requests by the test-card file, challenges the
 * payer on a page of its own, and keeps the results. In memory: a restart also restarts the challenges.
 */
import { createHash, randomUUID } from 'node:crypto';
import { testCards } from '../../../api/testing/test-cards.js';
import { findCurrency } from '../../../shared/domain/money/currency.js';
import type { WireAuthorization } from '../../../shared/processors/sandbox/wire.js';
import {
  type AReq,
  type ARes,
  type ErrorMessage,
  MESSAGE_VERSION,
  type RReq,
} from '../../../shared/threeds-providers/sandbox/messages.js';

/** What the payer chooses on the issuer's page. */
export const payerChoices = ['approve', 'fail', 'cancel', 'abandon'] as const;
export type PayerChoice = (typeof payerChoices)[number];

export interface IssuerSession {
  readonly request: AReq;
  readonly dsTransID: string;
  readonly acsTransID: string;
  /** CAVV for this card, amount and currency. */
  readonly authenticationValue: string;
  readonly answer: 'challenge' | 'frictionless' | 'attempt' | 'error';
  choice?: PayerChoice;
}

export interface Issuer {
  /** Whether the issuer of a card examines the payer's browser (3DS method) before the AReq. */
  hasMethod(number: string): boolean;
  /** Whether the 3DS method reports its end. False for an authentication that was not announced. */
  reportsMethodEnd(threeDSServerTransID: string): boolean;
  /** Notes for which card an authentication will be, when its 3DS method is opened. */
  announce(threeDSServerTransID: string, number: string): void;
  /** `undefined`: the id was used for another purchase. */
  authenticate(request: AReq, acsUrl: string): ARes | ErrorMessage | undefined;
  /** `undefined`: the id is not known. */
  result(threeDSServerTransID: string): RReq | { readonly status: 'open' } | undefined;
  /** Finds the challenge of a CReq. */
  challenge(acsTransID: string): IssuerSession | undefined;
  /** Whether an authorization carries a proof of this issuer that does not belong to it. */
  contradicts(request: WireAuthorization): boolean;
}

const SESSIONS_MAX = 20_000;
const ANSWERS: Readonly<Record<string, IssuerSession['answer']>> = {
  'threeds-challenge': 'challenge',
  'threeds-challenge-then-declined': 'challenge',
  'threeds-frictionless': 'frictionless',
  'threeds-lookup-error': 'error',
};
const methodByNumber = new Map(testCards.map(({ number, threeDsMethod }) => [number, threeDsMethod]));
const answerByNumber = new Map(testCards.map(({ number, outcome }) => [number, ANSWERS[outcome] ?? 'attempt']));

/** Mastercard's ECI values differ from those of all other networks. */
const eciOf = (number: string, full: boolean) => (/^[25]/.test(number) ? (full ? '02' : '01') : full ? '05' : '06');
const eciOfFailure = (number: string) => (/^[25]/.test(number) ? '00' : '07');

const cavvOf = (dsTransID: string, { acctNumber, purchaseAmount, purchaseCurrency }: AReq) =>
  createHash('sha1').update([dsTransID, acctNumber, purchaseAmount, purchaseCurrency].join(':')).digest('base64');

const identified = ({ request, dsTransID, acsTransID }: IssuerSession) => ({
  messageVersion: MESSAGE_VERSION,
  threeDSServerTransID: request.threeDSServerTransID,
  dsTransID,
  acsTransID,
  purchaseAmount: request.purchaseAmount,
  purchaseCurrency: request.purchaseCurrency,
});

function toARes(session: IssuerSession, acsURL: string): ARes | ErrorMessage {
  const { request, answer, authenticationValue } = session;
  const { messageVersion, threeDSServerTransID, ...rest } = identified(session);
  const base = { messageVersion, threeDSServerTransID };
  if (answer === 'error') return { messageType: 'Erro', ...base, errorCode: '405' };
  if (answer === 'challenge') return { messageType: 'ARes', ...base, ...rest, transStatus: 'C', acsURL };
  const full = answer === 'frictionless';
  const eci = eciOf(request.acctNumber, full);
  return { messageType: 'ARes', ...base, ...rest, transStatus: full ? 'Y' : 'A', eci, authenticationValue };
}

const cancelIndicators = { cancel: '01', abandon: '04' } as const;

function toRReq(session: IssuerSession, choice: PayerChoice): RReq {
  const { request, authenticationValue } = session;
  const base = { messageType: 'RReq', ...identified(session) } as const;
  if (choice === 'approve') {
    return { ...base, transStatus: 'Y', eci: eciOf(request.acctNumber, true), authenticationValue };
  }
  const challengeCancel = choice === 'fail' ? {} : { challengeCancel: cancelIndicators[choice] };
  return { ...base, transStatus: 'N', eci: eciOfFailure(request.acctNumber), ...challengeCancel };
}

const samePurchase = (a: AReq, b: AReq) =>
  a.acctNumber === b.acctNumber && a.purchaseAmount === b.purchaseAmount && a.purchaseCurrency === b.purchaseCurrency;

export function createIssuer(): Issuer {
  const sessions = new Map<string, IssuerSession>();
  const byAcs = new Map<string, IssuerSession>();
  const byDs = new Map<string, IssuerSession>();
  /** Card numbers by id of the announced authentication. */
  const announced = new Map<string, string>();

  function open(request: AReq): IssuerSession {
    const dsTransID = randomUUID();
    const session: IssuerSession = {
      request,
      dsTransID,
      acsTransID: randomUUID(),
      authenticationValue: cavvOf(dsTransID, request),
      answer: answerByNumber.get(request.acctNumber) ?? 'attempt',
    };
    sessions.set(request.threeDSServerTransID, session);
    byAcs.set(session.acsTransID, session);
    byDs.set(dsTransID, session);
    const [oldest] = sessions.size > SESSIONS_MAX ? sessions.entries() : [];
    if (oldest) {
      sessions.delete(oldest[0]);
      byAcs.delete(oldest[1].acsTransID);
      byDs.delete(oldest[1].dsTransID);
    }
    return session;
  }

  return {
    hasMethod: (number) => methodByNumber.get(number) !== undefined,
    reportsMethodEnd: (threeDSServerTransID) =>
      methodByNumber.get(announced.get(threeDSServerTransID) ?? '') === 'answers',
    announce(threeDSServerTransID, number) {
      announced.set(threeDSServerTransID, number);
      const [oldest] = announced.size > SESSIONS_MAX ? announced.keys() : [];
      if (oldest !== undefined) announced.delete(oldest);
    },
    authenticate(request, acsUrl) {
      const known = sessions.get(request.threeDSServerTransID);
      if (known && !samePurchase(known.request, request)) return undefined;
      return toARes(known ?? open(request), acsUrl);
    },
    result(threeDSServerTransID) {
      const session = sessions.get(threeDSServerTransID);
      if (session?.answer !== 'challenge') return undefined;
      return session.choice ? toRReq(session, session.choice) : { status: 'open' };
    },
    challenge: (acsTransID) => byAcs.get(acsTransID),
    contradicts({ credential: { card }, amountMinor, currency, proof }) {
      const session = byDs.get(proof?.dsTransactionId ?? '');
      if (!session || !card) return false;
      const { request, authenticationValue } = session;
      return (
        proof?.authenticationValue !== authenticationValue ||
        request.acctNumber !== card.number ||
        request.purchaseAmount !== String(amountMinor) ||
        request.purchaseCurrency !== findCurrency(currency)?.numeric
      );
    },
  };
}
