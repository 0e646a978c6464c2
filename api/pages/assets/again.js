// Asks now and then whether the link has changed, and then loads its page: a page that was loaded each time took the focus from the
// payer, and began to be read aloud again. Without scripts the page reloads itself.
const link = /** @type {HTMLElement} */ (document.querySelector('[data-again]'));
const afterMs = Number(link.dataset.again) * 1000;
/** When the network changes, a request may get neither an answer nor an error: it is aborted and made again. */
const SILENT_MS = 10_000;

async function ask() {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  try {
    const answer = await fetch(`${location.pathname}/status`, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout?.(SILENT_MS),
    });
    if (answer.ok && (await answer.json()).status !== link.dataset.status) {
      // The address is loaded instead of reloaded, because the page may answer a form; without its fragment, to which a browser would
      // only scroll.
      location.replace(location.pathname + location.search);
      return;
    }
  } catch {
    // The network is not reliable: the next request follows.
  }
  ask();
}

ask();
