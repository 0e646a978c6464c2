/** Builds the AReq of a payment in a browser by the rules of its version, or says why it cannot be built. */
import { numericCountry } from '../../domain/country.js';
import { findCurrency } from '../../domain/money/currency.js';
import { plainMerchantName, plainText } from '../../domain/plain-text.js';
import { after, DAY_MS } from '../../domain/time.js';
import { missingBrowserFields } from '../browser-fields.js';
import { metadataProblems } from '../metadata-rules.js';
import type { AuthenticationRequest } from '../provider.js';
import type { AReq, BrowserFields, MessageVersion } from './messages.js';
import { payerFields } from './person-fields.js';

/** The installation's requestor data, for merchants that have none of their own. */
export interface Requestor {
  readonly url: string;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

export interface Step {
  readonly reference: string;
  readonly version: MessageVersion;
  readonly completion: AReq['threeDSCompInd'];
}

/** `merchantName` has 1 to 40 characters; in practice only ASCII up to version 2.2. */
const MERCHANT_NAME_LENGTH_MAX = 40;
const USER_AGENT_LENGTH_MAX = 2048;
const ACCEPT_LENGTH_MAX = 2048;

const twoDigits = (value: number) => String(value).padStart(2, '0');
/** Formats a time in UTC: `20261120121314`. */
const stampOf = (at: Date) => at.toISOString().replace(/\D/g, '').slice(0, 'YYYYMMDDHHMMSS'.length);
const dayOf = (at: Date) => stampOf(at).slice(0, 'YYYYMMDD'.length);

/** Returns the purchase in the form that both sides use. */
export function purchaseOf({ amountMinor, currency }: Pick<AuthenticationRequest, 'amountMinor' | 'currency'>) {
  const { numeric = '', exponent = 0 } = findCurrency(currency) ?? {};
  return { purchaseAmount: String(amountMinor), purchaseCurrency: numeric, purchaseExponent: String(exponent) };
}

/** Minimum number of days between two charges; 1 when no number was agreed. */
const DAYS = { daily: 1, weekly: 7, monthly: 28, yearly: 365 } as const;
/** Date by which the networks mean an agreement without an end. */
const NO_END = '99991231';
/** Days per instalment: one instalment a month. */
const INSTALMENT_DAYS = 31;
/** Returns the reason of the authentication: a single purchase, an agreement to charge again, or a purchase in instalments. */
function agreementOf({ recurring, installments = 1, purchasedAt }: AuthenticationRequest) {
  if (recurring && recurring.frequency !== 'unscheduled') {
    const { frequency, expiresAt } = recurring;
    return {
      threeDSRequestorAuthenticationInd: '02',
      recurringFrequency: String(frequency === undefined ? 1 : DAYS[frequency]),
      recurringExpiry: expiresAt ? dayOf(expiresAt) : NO_END,
    } as const;
  }
  if (installments > 1) {
    const end = after(purchasedAt, installments * INSTALMENT_DAYS * DAY_MS);
    return {
      threeDSRequestorAuthenticationInd: '03',
      purchaseInstalData: String(installments),
      recurringFrequency: String(DAYS.monthly),
      recurringExpiry: dayOf(end),
    } as const;
  }
  return { threeDSRequestorAuthenticationInd: '01' } as const;
}

function browserFields({ browser }: AuthenticationRequest, version: MessageVersion): BrowserFields {
  const { acceptHeader = '', language = '', userAgent = '', ipAddress, javascriptEnabled } = browser;
  const scripts = javascriptEnabled !== false;
  return {
    browserAcceptHeader: plainText(acceptHeader, ACCEPT_LENGTH_MAX),
    ...(ipAddress !== undefined && { browserIP: ipAddress }),
    browserLanguage: language,
    browserUserAgent: plainText(userAgent, USER_AGENT_LENGTH_MAX),
    ...(version !== '2.1.0' && { browserJavascriptEnabled: scripts }),
    ...(scripts && {
      browserJavaEnabled: browser.javaEnabled === true,
      browserColorDepth: String(browser.colorDepth),
      browserScreenHeight: String(browser.screenHeight),
      browserScreenWidth: String(browser.screenWidth),
      browserTZ: String(browser.timeZoneOffset),
    }),
  };
}

/** Returns why the payment cannot be authenticated at all; for the log, without any of the data that was sent. */
export function obstacleOf(request: AuthenticationRequest): string | undefined {
  const { recurring, metadata, browser, currency } = request;
  if (recurring?.type === 'subsequent') return 'a payment without its payer (3RI) is not supported';
  if (!findCurrency(currency)) return 'the currency has no numeric code';
  const [problem] = Object.entries(metadataProblems('emv3ds', metadata));
  if (problem) return `the settings' metadata: ${problem.join(' ')}`;
  const keys = ['acquirerBin', 'acquirerMerchantId', 'merchantCategoryCode', 'merchantCountryCode'];
  const missing = keys.filter((key) => !metadata[key]);
  if (missing.length > 0) return `the settings' metadata lack ${missing.join(', ')}`;
  const unknown = missingBrowserFields('emv3ds', browser);
  return unknown.length > 0 ? `of the browser is not known: ${unknown.join(', ')}` : undefined;
}

export function buildAReq(request: AuthenticationRequest, requestor: Requestor, step: Step): AReq {
  const { card, metadata, merchantId: id, merchantName: name } = request;
  const { reference, version, completion } = step;
  const country = metadata['merchantCountryCode'] ?? '';
  const requestorId = metadata['requestorId'] || requestor.id;
  const requestorName = metadata['requestorName'] || requestor.name;
  const challenge = metadata['challengeIndicator'];
  return {
    messageType: 'AReq',
    messageVersion: version,
    threeDSServerTransID: reference,
    deviceChannel: '02',
    messageCategory: '01',
    threeDSCompInd: completion,
    ...agreementOf(request),
    ...(challenge && { threeDSRequestorChallengeInd: challenge }),
    ...(version !== '2.1.0' && { threeDSRequestorDecReqInd: 'N' }),
    ...(requestorId && { threeDSRequestorID: requestorId }),
    ...(requestorName && { threeDSRequestorName: requestorName }),
    threeDSRequestorURL: metadata['requestorUrl'] || requestor.url,
    acctNumber: card.number,
    cardExpiryDate: `${String(card.expYear).slice(-2)}${twoDigits(card.expMonth)}`,
    ...purchaseOf(request),
    purchaseDate: stampOf(request.purchasedAt),
    transType: metadata['transType'] || '01',
    acquirerBIN: metadata['acquirerBin'] ?? '',
    acquirerMerchantID: metadata['acquirerMerchantId'] ?? '',
    mcc: metadata['merchantCategoryCode'] ?? '',
    merchantCountryCode: numericCountry(country) ?? country,
    merchantName: metadata['merchantName'] || plainMerchantName({ id, name }, MERCHANT_NAME_LENGTH_MAX),
    notificationURL: request.returnUrl,
    ...browserFields(request, version),
    ...payerFields(request),
  };
}
