// Polls whether the bank has decided, and then loads the page with the result. Without scripts the page reloads itself. In a frame a
// form loads the page, because it contains what proves the session.
const FIRST_MS = 700;
const SLOWEST_MS = 4000;
/** When the network changes, a request may get neither an answer nor an error: it is aborted and made again. */
const SILENT_MS = 10_000;

/** @param {number} afterMs */
async function ask(afterMs) {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  try {
    const answer = await fetch(`${location.pathname}/status${location.search}`, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout?.(SILENT_MS),
    });
    if (answer.ok && !(await answer.json()).waiting) {
      /** @type {HTMLFormElement | null} */
      const form = document.querySelector('#again');
      // The address is loaded instead of reloaded, because the page may answer a form, which would be sent again; without its fragment,
      // to which a browser would only scroll.
      if (form) form.submit();
      else location.replace(location.pathname + location.search);
      return;
    }
  } catch {
    // The network is not reliable: the next request follows.
  }
  ask(Math.min(afterMs * 1.3, SLOWEST_MS));
}

ask(FIRST_MS);
