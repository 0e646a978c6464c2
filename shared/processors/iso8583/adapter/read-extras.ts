/** Converts what a request has in addition to card and amount to texts of a message. The only place that knows these fields of the port. */
import { plainMerchantName, toAscii } from '../../../domain/plain-text.js';
import type { AuthorizeRequest, ProcessorMerchant, ProcessorMoney, StoredCredentialUse } from '../../processor.js';
import type { Extras } from './tagged-fields.js';

/** Removes values that are absent or empty. */
const present = (extras: Readonly<Record<string, string | undefined>>): Extras =>
  Object.fromEntries(Object.entries(extras).filter(([, value]) => value !== undefined && value !== ''));

/** Largest lengths of texts (characters). A longer text is cut if its beginning is useful, else left out. */
const lengths = {
  descriptor: 25,
  name: 25,
  city: 13,
  plan: 20,
  invoice: 64,
  reference: 64,
  address: 40,
  postalCode: 10,
  email: 100,
  phone: 20,
  document: 20,
  ipAddress: 45,
} as const;
const AMOUNT_DIGITS = 12;

const cut = (text: string | undefined, length: number) => text && toAscii(text, ' ').slice(0, length);
/** Returns the text only when it fits: a cut address or number would be a different one. */
function whole(text: string | undefined, length: number): string | undefined {
  const plain = text && toAscii(text, ' ');
  return plain && plain.length <= length ? plain : undefined;
}
const amount = (minor: number | undefined) =>
  minor === undefined ? undefined : String(minor).padStart(AMOUNT_DIGITS, '0');

/** Builds field 43: name, city and country with fixed lengths. Under a facilitator the name is that of the sub-merchant. */
function acceptorOf({ id, name, country, facilitator }: ProcessorMerchant): string {
  const shop = plainMerchantName({ id, name: facilitator ? facilitator.subMerchant.name : name }, lengths.name);
  return shop.padEnd(lengths.name, ' ') + ' '.repeat(lengths.city) + (country ?? '  ');
}

const reasons = { unscheduled: 'U', recurring: 'R', installment: 'I' } as const;

/** Builds the use of a stored credential in the networks' terms: first or later use, initiator and reason. */
const agreementOf = (stored: StoredCredentialUse | undefined) =>
  stored && {
    storedCredential: stored.use === 'first' ? 'F' : 'S',
    initiator: stored.initiator === 'merchant' ? 'M' : 'C',
    storedReason: reasons[stored.reason],
    networkTransactionId: stored.networkTransactionId,
    networkLinkId: stored.networkLinkId,
  };

function moneyOf({ installments, installmentPlan, taxes = [], tip, taxedAmountMinor, surcharge }: ProcessorMoney) {
  const laws = taxes.flatMap(({ law }) => (law === 'none' ? [] : [law]));
  const amounts = taxes.flatMap(({ amountMinor }) => (amountMinor === undefined ? [] : [amountMinor]));
  return {
    installments: installments !== undefined && installments > 1 ? String(installments).padStart(2, '0') : undefined,
    installmentPlan: whole(installmentPlan, lengths.plan),
    taxLaw: laws.join(','),
    taxAmount: amounts.length > 0 ? amount(amounts.reduce((sum, minor) => sum + minor, 0)) : undefined,
    taxedAmount: amount(taxedAmountMinor),
    tip: amount(tip?.amountMinor),
    surcharge: amount(surcharge?.amountMinor),
  };
}

export function extrasOf({ proof, credential, money, order, payer, merchant }: AuthorizeRequest): Extras {
  const { card, stored } = credential;
  return present({
    cvc: card?.cvc,
    cryptogram: card?.networkToken?.cryptogram,
    eci: proof?.eci ?? card?.networkToken?.eci,
    threeDsVersion: proof?.version,
    authenticationValue: proof?.authenticationValue,
    dsTransactionId: proof?.dsTransactionId,
    exemption: proof?.exemption,
    ...agreementOf(stored),
    ...moneyOf(money),
    statementDescriptor: cut(order.statementDescriptor, lengths.descriptor),
    invoiceNumber: whole(order.invoiceNumber, lengths.invoice),
    referenceId: whole(order.referenceId, lengths.reference),
    merchantName: acceptorOf(merchant),
    facilitatorId: merchant.facilitator?.id,
    subMerchantId: merchant.facilitator?.subMerchant.id,
    address: cut(payer.address?.line1, lengths.address),
    postalCode: whole(payer.address?.postalCode, lengths.postalCode),
    email: whole(payer.email, lengths.email),
    phone: whole(payer.phone, lengths.phone),
    document: whole(payer.document?.value, lengths.document),
    ipAddress: whole(payer.browser?.ipAddress, lengths.ipAddress),
  });
}
