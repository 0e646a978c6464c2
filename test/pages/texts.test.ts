/** Sentences for payers that are put together from parts, correct in each language. */
import { languages, textsOf } from '../../api/pages/language.js';

test.each([
  ['en', 'The bank declined the card ending 0002. ', 'The bank declined the card. '],
  ['es', 'El banco rechazó la tarjeta terminada en 0002. ', 'El banco rechazó la tarjeta. '],
  ['pt', 'O banco recusou o cartão com final 0002. ', 'O banco recusou o cartão. '],
] as const)('%s: the sentence is correct for a card of an unknown brand', (language, ending, unknown) => {
  const { declinedBy, cardEnding, theCard } = textsOf[language];
  expect(declinedBy(cardEnding(theCard, '0002'))).toContain(ending);
  expect(declinedBy(theCard)).toContain(unknown);
});

test('Spanish dates have their article, and hours have none, because theirs depends on the hour', () => {
  const { expiredMore, savedExpiredMore, codeUntil } = textsOf.es;
  const [day, hour] = ['31 dic 2039, 22:30', '1:05'];
  for (const sentence of [expiredMore(day), savedExpiredMore(day)]) expect(sentence).toContain(`hasta el ${day}`);
  for (const sentence of [codeUntil(hour), textsOf.pt.codeUntil(hour)]) expect(sentence).toContain(`: ${hour}.`);
});

test('the length of a security code depends on the brand', () => {
  for (const language of languages) {
    expect(textsOf[language].wrongCvc).toMatch(/3 d[ií]g.+4 (on|en|no) American Express/);
  }
});

test('the security code has one name in each language', () => {
  for (const language of languages) {
    const { cvc, cvcOfCard, wrongCvc, missingCvc, walletNeedsCvc, declinedFor } = textsOf[language];
    const others = [cvcOfCard('Visa'), wrongCvc, missingCvc, walletNeedsCvc, declinedFor.incorrect_cvc];
    expect(others.filter((text) => !text.toLowerCase().includes(cvc.toLowerCase()))).toEqual([]);
  }
});
