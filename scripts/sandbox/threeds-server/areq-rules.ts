/**
 * EMV 3DS's rules for an AReq of a payment in a browser, element by element, as the reference of 3dsecure.io lists them for 2.1.0
 * and 2.2.0. They share no code with the adapter: the mock refuses what breaks a rule, as a real server does.
 */
type Message = Readonly<Record<string, unknown>>;
/** `true`: the value is valid. */
type Check = (value: unknown) => boolean;

interface Rule {
  readonly check: Check;
  /** Whether the element is required. Absent: it is optional. */
  readonly needed?: (message: Message) => boolean;
  /** Version before which the element is not allowed. */
  readonly since?: '2.2.0';
}

const matches =
  (form: RegExp): Check =>
  (value) =>
    typeof value === 'string' && form.test(value);
/** ASCII of at most `max` characters. */
const text = (max: number, min = 1) => matches(new RegExp(`^[\\x20-\\x7e]{${min},${max}}$`));
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const uuid = matches(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
const isBoolean: Check = (value) => typeof value === 'boolean';
const url =
  (max: number): Check =>
  (value) =>
    typeof value === 'string' && value.length <= max && /^https?:/.test(value) && URL.canParse(value);
const phone: Check = (value) => {
  const { cc, subscriber, ...more } = (value ?? {}) as Message;
  return matches(/^\d{1,3}$/)(cc) && matches(/^\d{1,12}$/)(subscriber) && Object.keys(more).length === 0;
};
const day = matches(/^\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/);

const always = () => true;
/** Whether browser elements are required: 2.1.0 demands them of every browser, 2.2.0 only of those that run scripts. */
const ofScripts = (message: Message) =>
  message['messageVersion'] === '2.1.0' || message['browserJavascriptEnabled'] === true;
const ofAgreements = (message: Message) => ['02', '03'].includes(String(message['threeDSRequestorAuthenticationInd']));

function address(prefix: string): Record<string, Rule> {
  return {
    [`${prefix}AddrCity`]: { check: text(50) },
    [`${prefix}AddrCountry`]: {
      check: matches(/^\d{3}$/),
      needed: (message) => message[`${prefix}AddrState`] !== undefined,
    },
    [`${prefix}AddrLine1`]: { check: text(50) },
    [`${prefix}AddrLine2`]: { check: text(50) },
    [`${prefix}AddrLine3`]: { check: text(50) },
    [`${prefix}AddrPostCode`]: { check: text(16) },
    [`${prefix}AddrState`]: { check: matches(/^[A-Z0-9]{1,3}$/) },
  };
}

const rules: Readonly<Record<string, Rule>> = {
  messageType: { check: oneOf('AReq'), needed: always },
  messageVersion: { check: oneOf('2.1.0', '2.2.0'), needed: always },
  threeDSServerTransID: { check: uuid, needed: always },
  deviceChannel: { check: oneOf('02'), needed: always },
  messageCategory: { check: oneOf('01'), needed: always },
  threeDSCompInd: { check: oneOf('Y', 'N', 'U'), needed: always },
  threeDSRequestorAuthenticationInd: { check: matches(/^0[1-7]$/), needed: always },
  threeDSRequestorChallengeInd: { check: matches(/^0[1-9]$/) },
  threeDSRequestorDecReqInd: { check: oneOf('Y', 'N'), since: '2.2.0' },
  threeDSRequestorID: { check: text(35) },
  threeDSRequestorName: { check: text(40) },
  threeDSRequestorURL: { check: url(2048), needed: always },
  acctNumber: { check: matches(/^\d{13,19}$/), needed: always },
  cardExpiryDate: { check: matches(/^\d{2}(0[1-9]|1[0-2])$/), needed: always },
  cardholderName: { check: text(45, 2) },
  email: { check: matches(/^(?=.{3,254}$)[\x21-\x7e]+@[\x21-\x7e]+$/) },
  mobilePhone: { check: phone },
  homePhone: { check: phone },
  workPhone: { check: phone },
  ...address('bill'),
  ...address('ship'),
  addrMatch: { check: oneOf('Y', 'N') },
  purchaseAmount: { check: matches(/^\d{1,48}$/), needed: always },
  purchaseCurrency: { check: matches(/^\d{3}$/), needed: always },
  purchaseExponent: { check: matches(/^\d$/), needed: always },
  purchaseDate: {
    check: matches(/^\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])([0-5]\d){2}$/),
    needed: always,
  },
  purchaseInstalData: {
    check: (value) => matches(/^\d{1,3}$/)(value) && Number(value) >= 2,
    needed: (message) => message['threeDSRequestorAuthenticationInd'] === '03',
  },
  recurringExpiry: { check: day, needed: ofAgreements },
  recurringFrequency: { check: matches(/^\d{1,4}$/), needed: ofAgreements },
  transType: { check: oneOf('01', '03', '10', '11', '28') },
  acquirerBIN: { check: text(11), needed: always },
  acquirerMerchantID: { check: text(35), needed: always },
  mcc: { check: matches(/^\d{4}$/), needed: always },
  merchantCountryCode: { check: matches(/^\d{3}$/), needed: always },
  merchantName: { check: text(40), needed: always },
  notificationURL: { check: url(256), needed: always },
  browserAcceptHeader: { check: text(2048), needed: always },
  browserIP: { check: matches(/^[0-9a-fA-F.:]{3,45}$/) },
  browserLanguage: { check: matches(/^[A-Za-z0-9-]{1,8}$/), needed: always },
  browserUserAgent: { check: text(2048), needed: always },
  browserJavascriptEnabled: {
    check: isBoolean,
    needed: (message) => message['messageVersion'] !== '2.1.0',
    since: '2.2.0',
  },
  browserJavaEnabled: { check: isBoolean, needed: ofScripts },
  browserColorDepth: { check: oneOf('1', '4', '8', '15', '16', '24', '32', '48'), needed: ofScripts },
  browserScreenHeight: { check: matches(/^\d{1,6}$/), needed: ofScripts },
  browserScreenWidth: { check: matches(/^\d{1,6}$/), needed: ofScripts },
  browserTZ: { check: matches(/^[+-]?\d{1,4}$/), needed: ofScripts },
};

export interface Faults {
  /** Missing elements: error 201. */
  readonly missing: readonly string[];
  /** Elements that are malformed, unknown, or not of this version: error 203. */
  readonly wrong: readonly string[];
}

/** Finds the faults of an AReq, by element. */
export function areqFaults(message: Message): Faults {
  const missing: string[] = [];
  const wrong = Object.keys(message).filter((name) => !Object.hasOwn(rules, name));
  for (const [name, { check, needed, since }] of Object.entries(rules)) {
    const value = message[name];
    if (value === undefined) {
      if (needed?.(message)) missing.push(name);
    } else if (!check(value) || (since !== undefined && message['messageVersion'] === '2.1.0')) wrong.push(name);
  }
  return { missing, wrong };
}
