// Asks now and then whether the bank has decided. The page shows the answer; without script it asks by itself. In a frame a form
// loads the page again, since that carries what proves the session.
const FIRST_MS = 700;
const SLOWEST_MS = 4000;
/** A network that changes may leave a question without an answer and without an error: it is given up, and asked anew. */
const SILENT_MS = 10_000;

async function ask(afterMs) {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  try {
    const answer = await fetch(`${location.pathname}/status${location.search}`, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout?.(SILENT_MS),
    });
    if (answer.ok && !(await answer.json()).waiting) {
      const form = document.getElementById('again');
      // As an address, since the page may answer a form, which would be sent again; without its fragment, to which a browser would
      // only scroll.
      if (form) form.submit();
      else location.replace(location.pathname + location.search);
      return;
    }
  } catch {
    // The network comes and goes: asked again.
  }
  ask(Math.min(afterMs * 1.3, SLOWEST_MS));
}

ask(FIRST_MS);
