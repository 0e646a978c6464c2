/** Details of the issuer that accompany the outcome, translated into the terms of the port. */
import { readDetails } from '../../../shared/processors/iso8583/adapter/read-details.js';
import { builtInProfile } from '../../../shared/processors/iso8583/profile/read-profile.js';

const profile = builtInProfile('1987-ascii');

/** Reads one detail from an answer of the acquirer that has it in its own field, without tags. */
function detailsOf(what: 'adviceCode' | 'avs' | 'cvcResult' | 'updatedExpiry', value: string) {
  const place = profile.answers[what];
  if (!place) throw new Error(`the profile has no place for ${what}`);
  const alone = { ...profile, tagged: {}, answers: { [what]: { field: place.field } } };
  return readDetails({ mti: '0100', fields: {} }, { mti: '0110', fields: { [place.field]: value } }, alone);
}

test.each([
  ['01', 'update-credentials'],
  ['02', 'retry-later'],
  ['03', 'do-not-retry'],
  ['21', 'do-not-retry'],
  ...['24', '25', '26', '27', '28', '29', '30'].map((code): [string, string] => [code, 'retry-later']),
])('advice code %s means %s', (code, advice) => {
  expect(detailsOf('adviceCode', code).decline).toEqual({ networkAdviceCode: code, advice });
});

test('an unknown advice code is kept without an advice', () => {
  expect(detailsOf('adviceCode', '99').decline).toEqual({ networkAdviceCode: '99' });
});

test.each([
  ['Y', 'match', 'match'],
  ['A', 'match', 'no-match'],
  ['B', 'match', 'not-checked'],
  ['Z', 'no-match', 'match'],
  ['P', 'not-checked', 'match'],
  ['N', 'no-match', 'no-match'],
])('address check %s means address %s, postal code %s', (code, address, postalCode) => {
  expect(detailsOf('avs', code).network.checks).toEqual({ avs: { code, address, postalCode } });
});

test.each([
  ['M', 'match'],
  ['N', 'no-match'],
  ['P', 'not-checked'],
])('cvc check %s means %s', (code, result) => {
  expect(detailsOf('cvcResult', code).network.checks).toEqual({ cvc: { code, result } });
});

test("a tag that comes back unchanged beside the acquirer's own says nothing: it names the first payment", () => {
  const sent = { mti: '0100', fields: { 48: '63015FIRST123456789064005LINK1' } };
  const read = (field: string) => readDetails(sent, { mti: '0110', fields: { 48: field } }, profile).network;
  const checks = { checks: { cvc: { code: 'M', result: 'match' } } };
  expect(read('63015FIRST123456789064005LINK187001M')).toEqual(checks);
  expect(read('63015OTHER123456789064005LINK187001M')).toEqual({ ...checks, networkTransactionId: 'OTHER1234567890' });
});

test.each([
  ['3107', { updatedExpiry: { expMonth: 7, expYear: 2031 } }],
  ['3113', {}],
  ['0731x', {}],
])('a new expiry date of %s is read as %j', (text, expected) => {
  expect(detailsOf('updatedExpiry', text).network).toEqual(expected);
});
