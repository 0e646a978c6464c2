import { addToQuery } from '../../api/http/add-to-query.js';

const fields = { paymentId: 'pay_1', referenceId: 'order 1/ü', status: 'approved' };
const added = 'paymentId=pay_1&referenceId=order+1%2F%C3%BC&status=approved';

test.each([
  ['https://shop.example', `https://shop.example/?${added}`],
  ['https://shop.example/back?', `https://shop.example/back?${added}`],
  ['https://shop.example/back?x#part', `https://shop.example/back?x&${added}#part`],
  ['https://shop.example/back?a=b%20c&x&sig=%ff%2B+y', `https://shop.example/back?a=b%20c&x&sig=%ff%2B+y&${added}`],
])('%s keeps its query as it is written', (address, expected) => {
  expect(addToQuery(address, fields)).toBe(expected);
});

test('a field with one of our names is replaced, and nothing else changes', () => {
  const address = 'https://shop.example/?status=denied&sig=a%20b~c&x&st%61tus=failed';
  expect(addToQuery(address, fields)).toBe(`https://shop.example/?sig=a%20b~c&x&${added}`);
});
