// Buttons that copy a text of the page. Without scripts there are none: the payer can select the text.
const SHOWN_MS = 2500;

/** Selects the text for the reader to copy when the clipboard is not available. */
function mark(source) {
  const details = source.closest('details');
  if (details) details.open = true;
  getSelection().selectAllChildren(source);
}

const note = document.querySelector('[data-copied]');

for (const button of document.querySelectorAll('button[data-copy], button[data-text]')) {
  const source = document.getElementById(button.dataset.copy);
  const plain = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.text ?? source.textContent);
    } catch {
      mark(source ?? button.previousElementSibling);
      return;
    }
    button.textContent = button.dataset.done;
    note.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = plain;
      note.textContent = '';
    }, SHOWN_MS);
  });
}
