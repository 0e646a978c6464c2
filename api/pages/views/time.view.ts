/** Times in pages: `times.js` shows them in the payer's time zone; without scripts they are in UTC and say so. */
import { formatClock, formatTime } from '../format.js';
import { type Html, html } from '../html.js';
import type { Language } from '../language.js';

/** Shows day and minute. */
export const shownTime = (at: Date, language: Language): Html =>
  html`<time datetime="${at.toISOString()}" data-show="moment">${formatTime(at, language)}</time>`;

/** Shows only the time of day, for a time that is near. */
export const shownClock = (at: Date, language: Language): Html =>
  html`<time class="num" datetime="${at.toISOString()}" data-show="clock">${formatClock(at, language)}</time>`;

/** Placeholder for the time while the sentence is built: none of our texts contains it. */
const PLACE = '\u0000';

/** Puts a time into a sentence of the texts. */
export function sentenceWith(sentence: (time: string) => string, time: Html): Html {
  const [before, after] = sentence(PLACE).split(PLACE);
  return html`${before}${time}${after}`;
}
