/** Renders the page of test cards (docs/test-cards.md) from the data files. */
import { type TestAmount, testAmounts, testQrAmounts } from '../../api/testing/test-amounts.js';
import { type TestCard, testCards } from '../../api/testing/test-cards.js';
import { responseCodes } from '../../shared/domain/response-codes.js';

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Renders `51 insufficient_funds`. Empty for an approval. */
function code({ isoCode, declineCode }: Pick<TestCard | TestAmount, 'isoCode' | 'declineCode'>): string {
  if (isoCode === responseCodes.approved) return '';
  return declineCode === undefined ? isoCode : `${isoCode} \`${declineCode}\``;
}

/** The whole page as Markdown, ending with a newline. */
export function renderTestCards(): string {
  const cards = testCards.map((card) => [
    `\`${card.number}\``,
    card.brand,
    `${card.cardType}, ${card.cardOrigin}`,
    code(card),
    card.description,
  ]);
  const amounts = testAmounts.map((amount) => [amount.amount, code(amount), amount.description]);
  const qr = testQrAmounts.map((amount) => [amount.amount, amount.description]);
  const sections = [
    '# Test cards and amounts',
    'Generated from the data files of the test processor by `npm run generate`: do not edit. They work in the testing' +
      ' environment only. Any future expiry and any cvc will do. **Any other Luhn-valid number approves.** Waits are' +
      ' divided by `TIME_SCALE`.',
    '## Cards',
    table(['Number', 'Brand', 'Card', 'ISO code, `declineCode`', 'What happens'], cards),
    '## Amounts',
    'For saved tokens, wallets and links. In a currency with two decimals the cents of 9000.00 to 9000.99 are the ISO' +
      ' response code; the others approve. A card with an outcome of its own wins over the amount.',
    table(['Amount', 'ISO code, `declineCode`', 'What happens'], amounts),
    '## Bank transfers by QR',
    'Any other amount waits for its payer: open the `url` of the code, or `./gateway --sandbox testing pay-code <payment>`.',
    table(['Amount', 'What happens'], qr),
  ];
  return `${sections.join('\n\n')}\n`;
}
