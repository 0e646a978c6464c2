/** The card that a payer typed on a page: whose name goes with it. */
import { checkHostedCard } from '../../api/sessions/hosted-card.js';

const deps = { bins: { find: async () => undefined }, refuseCardTexts: async () => undefined } as never;
const card = { number: '4242424242424242', expMonth: 12, expYear: new Date().getUTCFullYear() + 1, cvc: '123' };

/** Returns the cardholder of a card that was typed in a session with the prefilled cardholder. */
async function cardholderOf(prefilled: object, typed: object) {
  const session = { type: 'checkout', settings: { tokenization: { cardholder: prefilled } } } as never;
  return (await checkHostedCard(deps, session, { ...card, cardholder: typed })).cardholder;
}

test.each([
  [
    { firstName: 'Juan', lastName: 'de la Cruz' },
    { firstName: 'Juan de la', lastName: 'Cruz' },
  ],
  [{ firstName: 'Ana María' }, { firstName: 'Ana', lastName: 'María' }],
  [
    { firstName: ' Juan ', lastName: 'de  la Cruz' },
    { firstName: 'Juan de la', lastName: 'Cruz' },
  ],
  // Together they are longer than a first name may be.
  [
    { firstName: 'A '.repeat(45).trim(), lastName: 'B '.repeat(45).trim() },
    { firstName: `${'A '.repeat(45)}${'B '.repeat(44)}`.trim(), lastName: 'B' },
  ],
])(
  'a prefilled name that the payer leaves as it is stays divided as the integrator divided it: %j',
  async (known, typed) => {
    const prefilled = { ...known, email: 'juan@shop.example' };
    expect(await cardholderOf(prefilled, typed)).toEqual(prefilled);
  },
);

test('a name that the payer changes replaces the prefilled one, and keeps the rest', async () => {
  const prefilled = { firstName: 'Juan', lastName: 'de la Cruz', email: 'juan@shop.example' };
  const typed = { firstName: 'Juana de la', lastName: 'Cruz' };
  expect(await cardholderOf(prefilled, typed)).toEqual({ ...typed, email: 'juan@shop.example' });
});

describe('a tokenization session whose settings say which fields the form has', () => {
  const { cvc: _cvc, ...withoutCvc } = card;
  const accepted = (fields: object, typed: typeof withoutCvc) =>
    checkHostedCard(deps, { type: 'tokenization', settings: { tokenization: { fields } } } as never, typed);

  test.each([
    ['optional', card, card],
    ['optional', withoutCvc, withoutCvc],
    ['hidden', withoutCvc, withoutCvc],
    ['hidden', card, withoutCvc],
  ])('with cvc %s and an optional name, it accepts the card', async (cvc, typed, used) => {
    expect(await accepted({ cvc }, typed)).toEqual(used);
    expect(await accepted({ cvc, cardholder: 'hidden' }, typed)).toEqual(used);
  });

  test.each(['required', undefined])('with cvc %s it refuses a card without one', async (cvc) => {
    await expect(accepted({ cvc }, withoutCvc)).rejects.toMatchObject({ params: { cvc: [expect.any(String)] } });
  });

  test('with a required name it refuses a card without one', async () => {
    const refused = accepted({ cvc: 'hidden', cardholder: 'required' }, withoutCvc);
    await expect(refused).rejects.toMatchObject({ params: { cardholder: [expect.any(String)] } });
  });
});
