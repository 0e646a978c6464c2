/** The test cards of the start page, grouped by their outcome. */
import { type TestFigures, testFigures } from '../../testing/test-figures.js';
import { type Html, html } from '../html.js';
import { copyButton } from './copy-button.view.js';

type Card = TestFigures['cards'][number];

/** Groups in the order in which a developer tries them. A card is in the first group whose pattern matches its outcome. */
const groups: readonly (readonly [name: string, has: RegExp])[] = [
  ['Approved', /^approved$/],
  ['Declined', /^declined$|^authentication-required$|^verification-refused$|^later-charges-declined$/],
  ['3D Secure', /^threeds-/],
  ['Time-outs and faults', /^late-|^no-answer-|^connection-|^answered-/],
  ['Afterwards: capture, cancellation, refund', /./],
];

const groupOf = ({ outcome }: Card) => groups.findIndex(([, has]) => has.test(outcome));

const tagOf = ({ outcome, declineCode }: Card): Html => {
  const look = outcome === 'approved' ? 'ok' : declineCode === null ? 'info' : 'bad';
  return html`<span class="tag ${look}">${outcome.replaceAll('-', ' ')}</span>`;
};

const spaced = (number: string) =>
  number.length === 15 ? number.replace(/(.{4})(.{6})(.{5})/, '$1 $2 $3') : number.replace(/(.{4})(?=.)/g, '$1 ');

/** Renders a description: text between backticks is code. */
const described = (description: string): Html[] =>
  description.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

const row = (card: Card) =>
  html`<tr><th scope="row"><code id="card-${card.number}">${spaced(card.number)}</code> ${copyButton({ text: card.number, name: `Copy ${spaced(card.number)}` })}</th><td>${tagOf(card)}</td><td>${described(card.description)}</td></tr>`;

function group([name]: (typeof groups)[number], index: number): Html {
  const cards = testFigures.cards.filter((card) => groupOf(card) === index);
  return html`<details${index === 0 && html` open`}><summary><b>${name}</b> <span class="small soft">${cards.length}</span></summary>
<table><caption class="hide">${name}: test cards and what each makes happen</caption>
<thead><tr><th scope="col">Card</th><th scope="col">Outcome</th><th scope="col">What happens</th></tr></thead>
<tbody>${cards.map(row)}</tbody></table></details>`;
}

export const testCards = (): Html =>
  html`<section class="panel near"><h2>Test cards</h2><p class="soft small">Any future expiry, any security code. Any other valid number approves. For tools: <a href="/v1/testing/cards">/v1/testing/cards</a>, with amounts that do the same.</p>
<div>${groups.map(group)}</div></section>`;
