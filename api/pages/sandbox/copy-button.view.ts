import { attribute, type Html, html } from '../html.js';

/** What is copied: the text of an element, or a text of its own. */
type Copied = { readonly from: string; readonly name: string } | { readonly text: string; readonly name: string };

/** A button that `copy.js` shows and makes work. `name` is for those who do not see what it is next to. */
export const copyButton = (copied: Copied): Html =>
  html`<button class="btn low" type="button"${'from' in copied ? attribute('data-copy', copied.from) : attribute('data-text', copied.text)} data-done="Copied" aria-label="${copied.name}" hidden>Copy</button>`;

/** Where screen readers hear that something was copied. Once on a page. */
export const copiedNote = (): Html => html`<p class="hide" role="status" data-copied></p>`;
