/** Builds Adyen's payment request from the port's groups. Pure. */
import { defined } from '../../domain/defined.js';
import { statusOfEci } from '../../domain/threeds/authentication.js';
import type { AuthorizeRequest, ProcessorMerchant, StoredCredentialUse, ThreeDsProof } from '../processor.js';
import { descriptionOf } from './build-order.js';
import { payerFieldsOf } from './build-payer.js';
import { toAdyenAmount } from './currency.js';
import { scaExemptions } from './unsupported.js';
import type { AdyenAmount, AdyenCard, AdyenMpiData, AdyenPayment } from './wire.js';

/** Adyen requires an address for redirects, which the adapter refuses: this one can never resolve (RFC 2606). */
const RETURN_URL = 'https://redirect.invalid/';
const MONTH_DIGITS = 2;

type CardOf = NonNullable<AuthorizeRequest['credential']['card']>;

/** Adyen's names of the wallets. */
const walletBrands = { 'wallet-a-pay': 'googlepay', 'wallet-b-pay': 'applepay' } as const;

type Credential = AuthorizeRequest['credential'];

/** Returns the wallet whose token the gateway opened. A card number that is stored since is charged as a card, without the wallet. */
function walletBrandOf({ card, stored }: Credential) {
  if (card?.wallet === undefined) return undefined;
  return card.networkToken || stored?.use !== 'subsequent' ? walletBrands[card.wallet] : undefined;
}

function cardOf(card: CardOf, brand: AdyenCard['brand']): AdyenCard {
  const { number, expMonth, expYear, cvc, holderName, networkToken } = card;
  return {
    type: networkToken && brand === undefined ? 'networkToken' : 'scheme',
    number,
    expiryMonth: String(expMonth).padStart(MONTH_DIGITS, '0'),
    expiryYear: String(expYear),
    ...defined({ brand, cvc, holderName }),
  };
}

type MpiStatus = AdyenMpiData['directoryResponse'];
const ofChallenge: ReadonlySet<string> = new Set(['Y', 'N', 'U', 'A']);

/**
 * Returns the issuer's first status and the status after its challenge, which a frictionless authentication does not have. If the flow
 * is not known, the final status is sent for both. Adyen requires the first: a merchant's own proof has it only in its ECI.
 */
function statusesOf({ flow, transStatus: known, eci = '' }: ThreeDsProof, brand = '') {
  const transStatus = known ?? statusOfEci(eci, brand);
  const challenged = ofChallenge.has(transStatus ?? '') ? (transStatus as 'Y') : undefined;
  return {
    directoryResponse: flow === 'challenge' ? 'C' : (transStatus as MpiStatus),
    authenticationResponse: flow === 'frictionless' ? undefined : challenged,
  } as const;
}

/** ECI for a wallet that gives none, as with some networks: not authenticated by 3D Secure. */
const ECI_OF_WALLET = '07';

/** Builds the proof of a wallet: the payer's device authenticated the payer, and the cryptogram proves this. */
const mpiDataOfWallet = ({ cryptogram, eci }: NonNullable<CardOf['networkToken']>): AdyenMpiData => ({
  cavv: cryptogram,
  eci: eci ?? ECI_OF_WALLET,
  directoryResponse: 'Y',
  authenticationResponse: 'Y',
});

/** Builds the proof of 3D Secure with the cryptogram of a network token; undefined when there is neither. */
function mpiDataOf({ proof, credential: { card } }: AuthorizeRequest): AdyenMpiData | undefined {
  if (card?.networkToken && card.wallet) return mpiDataOfWallet(card.networkToken);
  const { authenticationValue: cavv, dsTransactionId: dsTransID, version: threeDSVersion, transStatus } = proof ?? {};
  const proven = cavv !== undefined || dsTransID !== undefined || transStatus !== undefined;
  const token = card?.networkToken;
  const mpiData = defined({
    tokenAuthenticationVerificationValue: token?.cryptogram,
    ...(proven && {
      cavv,
      dsTransID,
      threeDSVersion,
      ...statusesOf(proof ?? {}, card?.brand),
    }),
    eci: proof?.eci ?? token?.eci,
  });
  return Object.keys(mpiData).length > 0 ? mpiData : undefined;
}

const models = {
  recurring: 'Subscription',
  installment: 'Subscription',
  unscheduled: 'UnscheduledCardOnFile',
} as const satisfies Record<StoredCredentialUse['reason'], string>;

/** Returns Adyen's model: card on file when the payer stores the card or uses it again, subscription when it is charged on a schedule. */
const modelOf = ({ initiator, reason }: StoredCredentialUse) =>
  initiator === 'payer' && reason === 'unscheduled' ? 'CardOnFile' : models[reason];

type Stored = Pick<AdyenPayment, 'shopperInteraction' | 'recurringProcessingModel' | 'shopperReference'>;

function storedOf({ credential: { stored }, payer }: AuthorizeRequest): Stored {
  if (!stored) return { shopperInteraction: 'Ecommerce' };
  return {
    shopperInteraction: stored.use === 'first' ? 'Ecommerce' : 'ContAuth',
    recurringProcessingModel: modelOf(stored),
    ...defined({ shopperReference: payer.customerId }),
  };
}

function additionalDataOf({ capture, money, proof, credential }: AuthorizeRequest) {
  const { stored, card } = credential;
  const wallet = walletBrandOf(credential);
  const chained = stored?.use === 'subsequent' ? stored : undefined;
  return defined({
    // Without it the account's own delay would capture the hold by itself.
    manualCapture: capture ? undefined : 'true',
    allowPartialAuth: money.partialApprovalAllowed ? 'true' : undefined,
    scaExemption: proof?.exemption && scaExemptions[proof.exemption],
    networkTxReference: chained?.networkTransactionId,
    transactionLinkId: chained?.networkLinkId,
    'paymentdatasource.type': wallet,
    // Only this wallet gives card numbers too.
    'paymentdatasource.tokenized': wallet === 'googlepay' ? String(card?.networkToken !== undefined) : undefined,
  });
}

const SUB_MERCHANT_NAME_MAX = 22;

function merchantOf({ merchantCategoryCode: mcc, facilitator }: ProcessorMerchant, amount: AdyenAmount) {
  if (!facilitator) return defined({ mcc });
  const { id, name, merchantCategoryCode } = facilitator.subMerchant;
  const sub = { id, name: name.slice(0, SUB_MERCHANT_NAME_MAX), ...defined({ mcc: merchantCategoryCode }), amount };
  return { ...defined({ mcc }), subMerchants: [sub] };
}

function moneyOf({ money: { installments, installmentPlan: plan, surcharge }, currency }: AuthorizeRequest) {
  const extra = surcharge && toAdyenAmount(surcharge.amountMinor, currency);
  return defined({
    installments: installments === undefined ? undefined : { value: installments, ...defined({ plan }) },
    surcharge: extra && { value: extra.value },
  });
}

/** @param request a request that `unsupportedIn` accepts */
export function buildPayment(request: AuthorizeRequest, merchantAccount: string): AdyenPayment {
  const { key, amountMinor, currency, capture, credential, merchant, order, payer } = request;
  const amount = toAdyenAmount(amountMinor, currency) as AdyenAmount;
  const additionalData = additionalDataOf(request);
  const mpiData = mpiDataOf(request);
  return {
    amount,
    merchantAccount,
    reference: key,
    returnUrl: RETURN_URL,
    paymentMethod: cardOf(credential.card as CardOf, walletBrandOf(credential)),
    // The gateway authenticates payers itself.
    authenticationData: { attemptAuthentication: 'never' },
    ...(capture && { captureDelayHours: 0 }),
    ...(Object.keys(additionalData).length > 0 && { additionalData }),
    ...(mpiData && { mpiData }),
    ...storedOf(request),
    ...moneyOf(request),
    ...merchantOf(merchant, amount),
    ...payerFieldsOf(payer),
    ...descriptionOf(order, currency),
  };
}
