/** Times in pages: the payer's own by `times.js`; without script in UTC, which is said. */
import { formatClock, formatTime } from '../format.js';
import { type Html, html } from '../html.js';
import type { Language } from '../language.js';

/** Day and minute. */
export const shownTime = (at: Date, language: Language): Html =>
  html`<time datetime="${at.toISOString()}" data-show="moment">${formatTime(at, language)}</time>`;

/** The minute alone, of a time that is near. */
export const shownClock = (at: Date, language: Language): Html =>
  html`<time class="num" datetime="${at.toISOString()}" data-show="clock">${formatClock(at, language)}</time>`;

/** Placeholder of the time while the sentence is made: no text of ours has it. */
const PLACE = '\u0000';

/** A sentence of the texts with a time in it. */
export function sentenceWith(sentence: (time: string) => string, time: Html): Html {
  const [before, after] = sentence(PLACE).split(PLACE);
  return html`${before}${time}${after}`;
}
