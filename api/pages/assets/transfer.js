// Counts down, and asks now and then whether the transfer arrived. Without script the page loads itself again.
const FIRST_MS = 1000;
const SLOWEST_MS = 5000;
const RETRY_GROWTH = 1.2;
/** A network that changes may leave a question without an answer and without an error: it is given up, and asked anew. */
const SILENT_MS = 10_000;

const time = document.querySelector('time[data-left]');
const bar = document.querySelector('progress');
/** Of which try this page is, and what it says of it. In another tab the payer may have gone on to a code of another one. */
const shown = document.querySelector('[data-status]').dataset;
let over = false;
let endsMs = Infinity;

/** By a clock that no setting of the device moves. It may stand still while the device sleeps: each answer says what is left. */
function setLeft(seconds) {
  endsMs = Math.min(endsMs, performance.now() + seconds * 1000);
}

if (time) {
  setLeft(Number(time.dataset.left));
  const tick = () => {
    const left = Math.max(0, Math.ceil((endsMs - performance.now()) / 1000));
    time.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    bar.value = left;
    if (left > 0) {
      setTimeout(tick, 1000);
      return;
    }
    // A code that is paid later is paid for nothing: it goes at once, and the next answer loads the page that says so.
    over = true;
    document.querySelector('.ways').remove();
  };
  tick();
}

async function ask(afterMs) {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  try {
    const answer = await fetch(`${location.pathname}/status`, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout?.(SILENT_MS),
    });
    if (answer.ok) {
      const { status, attempt, left, earlier } = await answer.json();
      const cameEarlier = (earlier === true) !== 'earlier' in shown;
      if (status !== shown.status || String(attempt) !== shown.attempt || cameEarlier || over) {
        location.reload();
        return;
      }
      if (left !== undefined) setLeft(left);
    }
  } catch {
    // The network comes and goes: asked again.
  }
  ask(Math.min(afterMs * RETRY_GROWTH, SLOWEST_MS));
}

ask(FIRST_MS);
