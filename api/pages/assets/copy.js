// Buttons that copy a text of the page. Without scripts there are none: the payer can select the text.
const SHOWN_MS = 2500;

/** Selects the text for the reader to copy when the clipboard is not available. @param {Element} source */
function mark(source) {
  const details = source.closest('details');
  if (details) details.open = true;
  getSelection()?.selectAllChildren(source);
}

const note = /** @type {Element} */ (document.querySelector('[data-copied]'));
/** @type {NodeListOf<HTMLButtonElement>} */
const buttons = document.querySelectorAll('button[data-copy], button[data-text]');

for (const button of buttons) {
  const { copy = '', text, done = '' } = button.dataset;
  // A button without an element to copy has the text itself, and is behind what shows it.
  const source = /** @type {Element} */ (document.getElementById(copy) ?? button.previousElementSibling);
  const plain = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text ?? source.textContent);
    } catch {
      mark(source);
      return;
    }
    button.textContent = done;
    note.textContent = done;
    setTimeout(() => {
      button.textContent = plain;
      note.textContent = '';
    }, SHOWN_MS);
  });
}
