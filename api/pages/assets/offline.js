// Keeps a payer on the page who sends a form without a network: the browser would replace the page with an error page of its own. The
// payer sends the form again, which the server recognizes by its attempt. Without scripts the browser shows its error page.
/** How long the gateway may take to show that there is a network. */
const SILENT_MS = 5000;
const note = /** @type {HTMLElement} */ (document.querySelector('[data-offline]'));
const { offline = '', online = '' } = note.dataset;
/** A press is being looked into. */
let asking = false;
/** The form that may go now. @type {EventTarget | null} */
let goes = null;

/** Whether there is a network after all: some browsers deny it behind a VPN, and for a gateway on the same machine. */
async function isReached() {
  try {
    await fetch(import.meta.url, { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout?.(SILENT_MS) });
    return true;
  } catch {
    return false;
  }
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} submitter */
async function sendIfReached(form, submitter) {
  if (asking) return;
  asking = true;
  // Screen readers announce the text again only if it changes.
  note.textContent = '';
  const reached = await isReached();
  asking = false;
  if (!reached) {
    note.textContent = offline;
    note.scrollIntoView({ block: 'nearest' });
    return;
  }
  goes = form;
  form.requestSubmit(submitter);
  goes = null;
}

// Before the listeners of the form, which would show that it is being sent.
document.addEventListener(
  'submit',
  (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.sent || form === goes) return;
    if (navigator.onLine) {
      note.textContent = '';
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    sendIfReached(form, event.submitter);
  },
  true,
);

addEventListener('online', () => {
  if (note.textContent) note.textContent = online;
});
