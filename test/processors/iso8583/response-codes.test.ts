import { defined } from '../../../shared/domain/defined.js';
import { meaningOf, meaningOfAdvice } from '../../../shared/processors/iso8583/adapter/response-codes.js';

describe('action codes of 1993', () => {
  it.each([
    ['000', 'done'],
    ['002', 'partly'],
    ['006', 'partly'],
    ['100', 'declined'],
    ['903', 'declined'],
    ['906', 'failed'],
    ['907', 'failed'],
    ['910', 'failed'],
    ['911', 'unclear'],
    ['912', 'failed'],
    ['914', 'missing'],
    ['999', 'unclear'],
  ])('%s means %s', (code, verdict) => {
    expect(meaningOf(code, '1993')).toMatchObject({ verdict });
  });
});

describe('codes of 1993 for advices', () => {
  it.each([
    ['901', '1220', 'done'],
    ['901', '1221', 'done'],
    ['901', '1420', 'done'],
    ['900', '1421', 'done'],
    // The issuer does not answer for the money.
    ['900', '1220', 'unclear'],
    ['900', '1200', 'unclear'],
    ['901', '1200', 'unclear'],
  ])('%s in answer to %s means %s', (code, mti, verdict) => {
    expect(meaningOfAdvice(code, '1993', { mti, heard: undefined })).toMatchObject({ verdict });
  });

  it('mean nothing in 1987', () => {
    expect(meaningOfAdvice('901', '1987', { mti: '0220', heard: undefined })).toMatchObject({ verdict: 'declined' });
  });
});

describe('declines of 1993', () => {
  it.each([
    ['100', 'generic_decline', undefined],
    ['102', 'fraudulent', undefined],
    ['104', 'restricted_card', 'do-not-retry'],
    ['106', 'pin_try_exceeded', undefined],
    ['107', 'call_issuer', undefined],
    ['108', 'call_issuer', undefined],
    ['117', 'incorrect_pin', undefined],
    ['122', 'security_violation', undefined],
    ['118', 'incorrect_number', 'do-not-retry'],
    ['182', 'generic_decline', undefined],
    // The issuer wants the card back. Its reason does not matter.
    ['200', 'pickup_card', 'do-not-retry'],
    ['204', 'pickup_card', 'do-not-retry'],
    ['208', 'lost_card', 'do-not-retry'],
  ])('%s means %s with the advice %s', (code, declineCode, advice) => {
    expect(meaningOf(code, '1993')).toMatchObject(defined({ verdict: 'declined', declineCode, advice }));
    if (advice === undefined) expect(meaningOf(code, '1993')).not.toHaveProperty('advice');
  });
});

describe('response codes of 1987', () => {
  it.each([
    ['04', 'Pick up card', 'pickup_card', 'do-not-retry'],
    ['05', 'Do not honor', 'generic_decline', undefined],
    ['12', 'Invalid transaction', 'generic_decline', undefined],
    ['13', 'Invalid amount', 'generic_decline', undefined],
    ['14', 'Invalid card number', 'incorrect_number', 'do-not-retry'],
    ['41', 'Lost card', 'lost_card', 'do-not-retry'],
    ['51', 'Insufficient funds', 'insufficient_funds', 'retry-later'],
    ['54', 'Expired card', 'expired_card', 'update-credentials'],
    ['57', 'Transaction not permitted to cardholder', 'transaction_not_allowed', undefined],
    ['59', 'Suspected fraud', 'fraudulent', undefined],
    ['62', 'Restricted card', 'restricted_card', 'do-not-retry'],
    ['63', 'Security violation', 'security_violation', undefined],
    ['75', 'PIN tries exceeded', 'pin_try_exceeded', undefined],
    ['N7', 'Decline for cvc failure', 'incorrect_cvc', undefined],
    ['R0', 'Stop payment order', 'stop_payment_order', 'do-not-retry'],
    ['R1', 'Revocation of authorization', 'revocation_of_authorization', 'do-not-retry'],
    ['R3', 'Revocation of all authorizations', 'revocation_of_all_authorizations', 'do-not-retry'],
    ['02', 'Refer to the issuer', 'call_issuer', undefined],
    ['07', 'Pick up card', 'pickup_card', 'do-not-retry'],
    ['33', 'Pick up card', 'pickup_card', 'do-not-retry'],
    ['34', 'Pick up card', 'pickup_card', 'do-not-retry'],
    ['35', 'Pick up card', 'pickup_card', 'do-not-retry'],
    ['36', 'Pick up card', 'pickup_card', 'do-not-retry'],
    ['37', 'Pick up card', 'pickup_card', 'do-not-retry'],
    ['38', 'Pick up card', 'pickup_card', 'do-not-retry'],
    ['67', 'Pick up card', 'pickup_card', 'do-not-retry'],
    ['15', 'No such issuer', 'incorrect_number', 'do-not-retry'],
    ['46', 'Closed account', 'invalid_account', 'do-not-retry'],
    ['Z9', 'Declined', 'generic_decline', undefined],
  ])('%s (%s) means %s with the advice %s', (code, text, declineCode, advice) => {
    expect(meaningOf(code, '1987')).toEqual(defined({ verdict: 'declined', text, declineCode, advice }));
  });

  it.each(['00', '08', '10', '09', '25', '68', '90', '91', '94', '96'])('%s is not a decline', (code) => {
    expect(meaningOf(code, '1987').verdict).not.toBe('declined');
  });
});
