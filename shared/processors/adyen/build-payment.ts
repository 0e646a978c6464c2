/** The payment request from the port's groups. Pure. */
import { defined } from '../../domain/defined.js';
import type { AuthorizeRequest, ProcessorMerchant, StoredCredentialUse, ThreeDsProof } from '../processor.js';
import { descriptionOf } from './build-order.js';
import { payerFieldsOf } from './build-payer.js';
import { toAdyenAmount } from './currency.js';
import { scaExemptions } from './unsupported.js';
import type { AdyenAmount, AdyenCard, AdyenMpiData, AdyenPayment } from './wire.js';

/** Adyen wants an address for redirects, which are refused here: this one leads nowhere (RFC 2606). */
const RETURN_URL = 'https://redirect.invalid/';
const MONTH_DIGITS = 2;

type CardOf = NonNullable<AuthorizeRequest['credential']['card']>;

/** The wallets, as Adyen calls them. */
const walletBrands = { 'wallet-a-pay': 'googlepay', 'wallet-b-pay': 'applepay' } as const;

type Credential = AuthorizeRequest['credential'];

/** The wallet whose token was opened here. Once its card number is stored it is charged as a card, without the wallet. */
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
 * What the issuer said at first, and what came of its challenge; of a frictionless authentication there is no challenge. Where the flow
 * is not known, the last status is sent for both.
 */
function statusesOf({ flow, transStatus }: ThreeDsProof) {
  const challenged = ofChallenge.has(transStatus ?? '') ? (transStatus as 'Y') : undefined;
  return {
    directoryResponse: flow === 'challenge' ? 'C' : (transStatus as MpiStatus),
    authenticationResponse: flow === 'frictionless' ? undefined : challenged,
  } as const;
}

/** Not authenticated by 3D Secure: where a wallet says no ECI, as of some networks. */
const ECI_OF_WALLET = '07';

/** The payer's device authenticated: the cryptogram of a wallet is the proof of that. */
const mpiDataOfWallet = ({ cryptogram, eci }: NonNullable<CardOf['networkToken']>): AdyenMpiData => ({
  cavv: cryptogram,
  eci: eci ?? ECI_OF_WALLET,
  directoryResponse: 'Y',
  authenticationResponse: 'Y',
});

/** Proof of 3D Secure, and the cryptogram of a network token. */
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
      ...statusesOf(proof ?? {}),
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

/** A card that the payer stores, or chooses again, is on file; one that is charged by schedule is a subscription. */
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

/** @param request nothing of it is unsupported */
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
