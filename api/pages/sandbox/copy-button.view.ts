import { attribute, type Html, html } from '../html.js';

/** Text to copy: that of an element, or a given text. */
type Copied = { readonly from: string; readonly name: string } | { readonly text: string; readonly name: string };

/** A button that the script `copy.js` shows and handles. `name` is for payers who cannot see what the button is next to. */
export const copyButton = (copied: Copied): Html =>
  html`<button class="btn low" type="button"${'from' in copied ? attribute('data-copy', copied.from) : attribute('data-text', copied.text)} data-done="Copied" aria-label="${copied.name}" hidden>Copy</button>`;

/** Announces to screen readers that something was copied. Needed once per page. */
export const copiedNote = (): Html => html`<p class="hide" role="status" data-copied></p>`;
