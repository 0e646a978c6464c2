/** The request that is measured: a purchase as a shop sends it, about 1.1 kB of JSON. */

export const APPROVED_CARD = '4242424242424242';
export const DECLINED_CARD = '4000000000000002';

/** Digits of the part of a reference that differs from one request to the next. */
export const SERIAL_DIGITS = 10;

/**
 * @param {{ reference: string, card?: string, callbackUrl?: string | undefined }} given
 * @returns {object}
 */
export function paymentRequest({ reference, card = APPROVED_CARD, callbackUrl }) {
  return {
    merchantId: 1001,
    referenceId: reference,
    invoiceNumber: 'INV-2030-000123',
    amount: { total: '19.99', currency: 'USD', tax: '3.60' },
    paymentMethod: {
      source: 'card',
      card: {
        number: card,
        expMonth: 12,
        expYear: 2034,
        cvc: '123',
        cardholder: {
          firstName: 'Jane',
          lastName: 'Doe',
          email: 'jane.doe@example.com',
          phoneNumber: '+59899123456',
          identification: { type: 1, value: '12345672' },
          billingAddress: { line1: 'Street 1', line2: 'A 2', city: 'Montevideo', postalCode: '11000', country: 'UY' },
        },
      },
    },
    items: [1, 2, 3].map((number) => ({
      referenceId: `sku-${number}`,
      name: `Product ${number}`,
      description: 'As described in the shop',
      quantity: number,
      price: '3.33',
    })),
    browserDetails: {
      ipAddress: '192.0.2.10',
      userAgent:
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
    },
    statementDescriptor: 'EXAMPLE SHOP',
    metadata: { order: 'o-1', channel: 'web' },
    ...(callbackUrl !== undefined && { callbackUrl }),
  };
}

/**
 * Returns the whole HTTP request as bytes, with the serial number left blank. Requests differ only in those bytes,
 * so sending one costs the client no serialization.
 * @param {{ port: number, authorization: string, run: string, card?: string, callbackUrl?: string | undefined }} given
 *   `run`: distinguishes the references of one measurement from those of others
 * @returns {{ bytes: Buffer, serialAt: number }}
 */
export function requestTemplate({ port, authorization, run, card, callbackUrl }) {
  const blank = '0'.repeat(SERIAL_DIGITS);
  const body = JSON.stringify(paymentRequest({ reference: `${run}-${blank}`, ...(card && { card }), callbackUrl }));
  const head = [
    'POST /v1/payments HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: ${authorization}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  return { bytes, serialAt: bytes.indexOf(`${run}-${blank}`) + run.length + 1 };
}
