/** The payment in answers (docs/api.md#the-payment). Decimals are JSON numbers, date-times UTC with milliseconds. */

import { body, Joi, named } from '../../shared/contract/joi.js';
import { exemptions, recurringReasons } from '../../shared/domain/payment/charge-reasons.js';
import { disputeStatuses } from '../../shared/domain/payment/dispute.js';
import { checkResults, declineAdvices } from '../../shared/domain/payment/network-answer.js';
import { cardSources, transactionKinds } from '../../shared/domain/payment/payment.js';
import { paymentStatuses, transactionStatuses } from '../../shared/domain/payment/statuses.js';
import { routeReasons } from '../../shared/domain/routing/payment-routing.js';
import { authenticationStatuses } from '../../shared/domain/threeds/authentication.js';
import { dateTime, money } from '../http/answer-fields.js';

const stringMap = () => Joi.object().pattern(Joi.string(), Joi.string().allow(''));

const browserAnswer = () => {
  const names = [
    'ipAddress',
    'userAgent',
    'deviceFingerprint',
    'device',
    'operativeSystem',
    'acceptHeader',
    'language',
  ];
  return body({
    ...Object.fromEntries([...names, 'challengeWindowSize'].map((name) => [name, Joi.string()])),
    javascriptEnabled: Joi.boolean(),
    javaEnabled: Joi.boolean(),
    colorDepth: Joi.number().integer(),
    screenHeight: Joi.number().integer(),
    screenWidth: Joi.number().integer(),
    timeZoneOffset: Joi.number().integer(),
  });
};

const checkResult = () => Joi.string().valid(...checkResults);

const transactionSchema = named(
  'Transaction',
  body({
    id: Joi.string().required(),
    referenceId: Joi.string().required(),
    type: Joi.string()
      .valid(...transactionKinds)
      .required(),
    status: Joi.string()
      .valid(...transactionStatuses)
      .required(),
    amount: money().required(),
    currency: Joi.string().required(),
    resultCode: Joi.string().description('ISO 8583 response code, 00 when approved.'),
    resultMessage: Joi.string(),
    declineCode: Joi.string(),
    authorization: Joi.string().description('Authorization code of the issuer.'),
    ticket: Joi.string().description('Id of the operation at the processor.'),
    retrievalReference: Joi.string().description('Retrieval reference number: what acquirer and issuer find it by.'),
    networkTransactionId: Joi.string().description('What the card network calls it.'),
    checks: body({
      avs: body({ code: Joi.string(), address: checkResult(), postalCode: checkResult() }),
      cvc: body({ code: Joi.string(), result: checkResult().required() }),
    }).description('What the issuer found when it compared address and cvc; `code` is the network’s own.'),
    decline: body({
      networkCode: Joi.string().description('The network’s code as it came.'),
      adviceCode: Joi.string().description('The network’s advice as it came.'),
      advice: Joi.string()
        .valid(...declineAdvices)
        .description('What the issuer advises: no further try, a later one, or one with other card data.'),
    }),
    approvedAmount: money().description('Of a partial approval: what was approved.'),
    updatedCard: body({
      expirationMonth: Joi.number().integer().required(),
      expirationYear: Joi.number().integer().required(),
    }).description('The expiry that the card has by now, as the issuer says.'),
    reason: Joi.string(),
    description: Joi.string(),
    metadata: stringMap(),
    processedAt: dateTime(),
    createdAt: dateTime().required(),
  }),
);

const namedAmount = () => body({ amount: money().required(), description: Joi.string() });

const amountFields = () => ({
  total: money().required(),
  currency: Joi.string().required(),
  tip: money(),
  tax: money(),
  taxedAmount: money(),
  details: body({
    tax: body({ type: Joi.string().valid('17934', '19210', 'none').required(), amount: money(), rate: money() }),
    taxedAmount: money(),
    tip: namedAmount(),
    discount: namedAmount(),
    shipping: namedAmount(),
    surcharge: namedAmount(),
  }),
});

/** An amount of which nothing is captured or refunded yet. */
export const amountAnswer = () => body(amountFields());

const amountSchema = named(
  'PaymentAmount',
  body({
    ...amountFields(),
    captured: money().required().description('Captured so far.'),
    refunded: money().required().description('Refunded so far.'),
  }),
);

export const paymentMethodAnswer = named(
  'PaymentMethod',
  body({
    id: Joi.string().required(),
    name: Joi.string().required(),
    type: Joi.string().valid('card', 'bank-transfer').required(),
    source: Joi.string()
      .valid(...cardSources, 'bank-transfer')
      .required(),
    card: body({
      brand: Joi.string().required(),
      last4: Joi.string().length(4).required(),
      expirationMonth: Joi.number().integer().required(),
      expirationYear: Joi.number().integer().required(),
    }),
  }),
);

export const codeTypes = ['qrcode'] as const;

const codeSchema = named(
  'PaymentCode',
  body({
    type: Joi.string()
      .valid(...codeTypes)
      .required(),
    url: Joi.string().required().description('Page at the bank for the same code.'),
    value: Joi.string().required().description('The content of the QR code: an EMV merchant-presented payload.'),
    base64Image: Joi.string().required().description('PNG, base64.'),
  }),
);

export const itemAnswer = named(
  'PaymentItem',
  body({
    referenceId: Joi.string(),
    name: Joi.string().required(),
    description: Joi.string(),
    quantity: Joi.number().integer().required(),
    price: money().required(),
    discount: money(),
    tax: body({ amount: money().required(), currency: Joi.string().required() }),
    metadata: stringMap(),
  }),
);

const splitPartSchema = named(
  'SplitPart',
  body({
    merchantId: Joi.number().integer().required(),
    subMerchantReference: Joi.string(),
    amount: money().required(),
    refunded: money().required().description('Refunded of it, in proportion to the refunds of the payment.'),
  }),
);

const disputeSchema = named(
  'Dispute',
  body({
    id: Joi.string().required().description('The processor’s id of it.'),
    status: Joi.string()
      .valid(...disputeStatuses)
      .required()
      .description('`inquiry`: the issuer asks, no money moved. `open`: the money was taken back.'),
    amount: money().required(),
    currency: Joi.string().required().description('It may be another one than the payment’s.'),
    reason: Joi.string().description('In the processor’s words.'),
    networkReasonCode: Joi.string().description('Reason code of the card network.'),
    respondBy: dateTime().description('Evidence has to be with the processor by then.'),
    openedAt: dateTime().required(),
    updatedAt: dateTime().required(),
  }),
);

const threeDsSchema = named(
  'ThreeDSResult',
  body({
    required: Joi.boolean().required().description('Whether the payer had to be authenticated.'),
    reason: Joi.string().required().description('Why, or why not.'),
    provider: Joi.string(),
    status: Joi.string().valid(...authenticationStatuses),
    version: Joi.string(),
    flow: Joi.string().valid('frictionless', 'challenge'),
    transStatus: Joi.string().valid('Y', 'A', 'C', 'N', 'R', 'U'),
    eci: Joi.string(),
    dsTransactionId: Joi.string(),
    liabilityShift: Joi.boolean(),
    error: Joi.string().description('Error code of an authentication that ended the payment.'),
  }),
);

export const routingSchema = Joi.array().items(
  named(
    'PaymentRoute',
    body({
      processor: Joi.string().required(),
      acquirer: Joi.string().required(),
      reason: Joi.string()
        .valid(...routeReasons)
        .required(),
      detail: Joi.string().description('Of `condition` the condition, of `unable` the operation.'),
    }),
  ),
);

export const paymentSchema = named(
  'Payment',
  body({
    id: Joi.string().required(),
    merchantId: Joi.number().integer().required(),
    referenceId: Joi.string().required(),
    invoiceNumber: Joi.string().required(),
    status: Joi.string()
      .valid(...paymentStatuses)
      .required(),
    flow: Joi.string().valid('direct', 'pos').required(),
    processingMethod: Joi.string().valid('api', 'checkout', 'link').required(),
    paymentLinkId: Joi.string().description('Payment link of the payment.'),
    split: Joi.array().items(splitPartSchema).description('The part of each merchant; the parts add up to the total.'),
    sessionId: Joi.string().description('Session of the payment.'),
    attempt: Joi.number().integer().description('Number of the attempt in that session, from 1.'),
    createdAt: dateTime().required(),
    updatedAt: dateTime().required(),
    processedAt: dateTime(),
    expiresAt: dateTime().description('When an uncaptured authorization or a QR code expires.'),
    amount: amountSchema.required(),
    paymentMethod: paymentMethodAnswer.required(),
    paymentInstrument: named(
      'SavedInstrument',
      body({
        token: Joi.string().guid().required().description('Use it with source `token`.'),
        type: Joi.string().valid('persistent', 'temporal').required(),
        expiresAt: dateTime().allow(null).required(),
      }),
    ).description('The card saved by the payment. Not in lists of payments.'),
    code: codeSchema.description('The QR code, while it can be paid.'),
    capture: body({
      method: Joi.string().valid('automatic', 'manual').required(),
      delay: Joi.number().integer(),
      nextAttemptAt: dateTime().description('Next attempt of a delayed capture that failed.'),
    }).required(),
    params: body({ capture: Joi.array().items(Joi.string()).required() }).description(
      'For a delayed capture that failed: why, and what happens next.',
    ),
    installments: Joi.number().integer(),
    installmentPlan: Joi.string(),
    allowPartialApproval: Joi.boolean(),
    exemption: Joi.string().valid(...exemptions),
    statementDescriptor: Joi.string(),
    customerId: Joi.string(),
    items: Joi.array().items(itemAnswer),
    browserDetails: browserAnswer(),
    recurring: body({
      type: Joi.string().valid('initial', 'subsequent').required(),
      initialPaymentId: Joi.string(),
      frequency: Joi.string().valid('daily', 'weekly', 'monthly', 'yearly', 'unscheduled'),
      reason: Joi.string().valid(...recurringReasons),
      networkTransactionId: Joi.string().description('What the card network calls this payment.'),
      expiresAt: dateTime(),
    }),
    redirectUrl: Joi.string(),
    callbackUrl: Joi.string(),
    metadata: stringMap(),
    routing: routingSchema.description(
      'Where a method has several routes: each with its reason, in the order in which they are tried.',
    ),
    transactions: Joi.array().items(transactionSchema).required(),
    disputes: Joi.array()
      .items(disputeSchema)
      .description('Disputes of the payer, as the processor reported them. They change no status.'),
    actions: Joi.array()
      .items(body({ rel: Joi.string().required(), href: Joi.string().required(), method: Joi.string().required() }))
      .required()
      .description('The next step of the payer: `approval_url` is the issuer’s challenge.'),
    threeDS: threeDsSchema,
  }),
);
