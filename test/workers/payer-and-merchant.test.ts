/** What a request to an acquirer or a 3DS provider says about the payer and the merchant. */
import { merchantOf, referencesOf } from '../../workers/processor-merchant.js';
import { customerOf, payerOf, RequestNotMadeError } from '../../workers/processor-payer.js';
import { createdPayment, firstTx, start } from '../domain/payment/a-payment.js';

const address = (line1: string) => ({ line1, city: 'Montevideo', country: 'UY' });
const holder = {
  firstName: 'Ana',
  lastName: 'Paz',
  email: 'ana@holder.example',
  phoneNumber: '+59899000001',
  birthdate: '1990-01-02T00:00:00.000Z',
  identification: { type: 1, value: '1111' },
  billingAddress: address('holder'),
};
const customer = {
  firstName: 'Eva',
  lastName: 'Sol',
  email: 'eva@customer.example',
  phone: '+59899000002',
  birthdate: new Date('1980-03-04'),
  document: { type: 2, value: '2222' },
  identification: { type: 3, value: '3333' },
  address: address('customer'),
  shipping: { name: 'Eva', address: address('shipping') },
  referenceId: 'customer-1',
};
const payment = createdPayment({ customerId: 'cus_1' });

describe('the payer', () => {
  test('data that came with the card is preferred to data of the customer', () => {
    expect(payerOf(payment, holder, customer)).toEqual({
      firstName: 'Ana',
      lastName: 'Paz',
      email: 'ana@holder.example',
      phone: '+59899000001',
      birthdate: new Date('1990-01-02'),
      document: { type: 1, value: '1111' },
      address: address('holder'),
      shipping: customer.shipping,
      customerId: 'cus_1',
      customerReference: 'customer-1',
    });
  });

  test('without data of the cardholder, the payer is the customer', () => {
    expect(payerOf(payment, undefined, customer)).toEqual({
      firstName: 'Eva',
      lastName: 'Sol',
      email: 'eva@customer.example',
      phone: '+59899000002',
      birthdate: new Date('1980-03-04'),
      document: { type: 2, value: '2222' },
      address: address('customer'),
      shipping: customer.shipping,
      customerId: 'cus_1',
      customerReference: 'customer-1',
    });
  });

  test('half a name of the cardholder is not completed with the name of the customer', () => {
    expect(payerOf(payment, { firstName: 'Ana' }, customer)).toMatchObject({ firstName: 'Ana' });
    expect(payerOf(payment, { firstName: 'Ana' }, customer)).not.toHaveProperty('lastName');
    expect(payerOf(payment, { lastName: 'Paz' }, customer)).not.toHaveProperty('firstName');
    expect(payerOf(payment, { email: 'x@y.example' }, customer)).toMatchObject({ firstName: 'Eva', lastName: 'Sol' });
  });

  test('the identification of a customer is used when there is no document', () => {
    const { document: _, ...other } = customer;
    expect(payerOf(payment, undefined, other)).toMatchObject({ document: customer.identification });
  });

  test('an unknown payer has no data', () => {
    expect(payerOf(createdPayment())).toEqual({});
  });

  test('the customer is read only for a payment that has one', async () => {
    const asked: unknown[] = [];
    const customers = {
      find: async (...ids: unknown[]) => {
        asked.push(ids);
        return customer as never;
      },
    };
    expect(await customerOf({ customers }, createdPayment())).toBeUndefined();
    expect(asked).toEqual([]);
    expect(await customerOf({ customers }, payment)).toBe(customer);
    expect(asked).toEqual([['cli_a', 'cus_1']]);
  });

  test('a customer that cannot be read fails the request before it is sent', async () => {
    const cause = new Error('no primary');
    const customers = { find: () => Promise.reject(cause) };
    await expect(customerOf({ customers }, payment)).rejects.toMatchObject({
      name: 'RequestNotMadeError',
      message: 'the customer could not be read',
      cause,
    });
    await expect(customerOf({ customers }, payment)).rejects.toThrow(RequestNotMadeError);
  });
});

describe('the merchant', () => {
  const payee = { name: 'Shop', country: 'UY', merchantCategoryCode: '5411', taxId: '21-1' };

  test('a merchant is as it was when the payment was accepted, with its numbers at the acquirer', () => {
    const numbers = { merchantIdentificationNumber: 'MID', terminalNumber: 'T1' };
    const full = { id: 1001, ...payee, ...numbers };
    expect(merchantOf({ merchantId: 1001, payee, ...numbers })).toEqual(full);
    // The numbers of another route replace them.
    const other = { merchantIdentificationNumber: 'MID-2', terminalNumber: 'T2' };
    expect(merchantOf({ merchantId: 1001, payee, ...numbers }, other)).toEqual({ ...full, ...other });
  });

  test('a payment of an earlier release has only the numbers of its merchant', () => {
    expect(merchantOf({ merchantId: 7, terminalNumber: 'T1' })).toEqual({ id: 7, name: '', terminalNumber: 'T1' });
  });

  test('a payment through a payment facilitator names the merchant below it', () => {
    const facilitator = { id: 'PF', subMerchantId: 'SUB' };
    expect(merchantOf({ merchantId: 1, payee: { ...payee, facilitator } }).facilitator).toEqual({
      id: 'PF',
      subMerchant: { id: 'SUB', name: 'Shop', merchantCategoryCode: '5411' },
    });
    expect(merchantOf({ merchantId: 1, payee: { name: 'Shop', facilitator } }).facilitator).toEqual({
      id: 'PF',
      subMerchant: { id: 'SUB', name: 'Shop' },
    });
  });
});

test('the references of a transaction have only what the processor named', () => {
  expect(referencesOf(undefined)).toEqual({});
  expect(referencesOf(firstTx(payment))).toEqual({ createdAt: start });
  const named = {
    processorReference: 'p',
    ticket: 't',
    retrievalReference: 'r',
    networkTransactionId: 'n',
    authorization: 'a',
  };
  expect(referencesOf({ ...firstTx(payment), ...named })).toEqual({ createdAt: start, ...named });
});
