// Counts down, and polls whether the transfer arrived. Without scripts the page reloads itself.
const FIRST_MS = 1000;
const SLOWEST_MS = 5000;
const RETRY_GROWTH = 1.2;
/** When the network changes, a request may get neither an answer nor an error: it is aborted and made again. */
const SILENT_MS = 10_000;

/** The time left, which a code has. @type {HTMLTimeElement | null} */
const time = document.querySelector('time[data-left]');
const bar = document.querySelector('progress');
/** The try that this page shows, and its status. In another tab the payer may have requested the code of another try. */
const { dataset: shown } = /** @type {HTMLElement} */ (document.querySelector('[data-status]'));
let over = false;
let endsMs = Infinity;

/**
 * Uses a clock that no setting of the device changes. It may stop while the device sleeps, so each answer has the seconds left.
 * @param {number} seconds
 */
function setLeft(seconds) {
  endsMs = Math.min(endsMs, performance.now() + seconds * 1000);
}

if (time && bar) {
  setLeft(Number(time.dataset.left));
  const tick = () => {
    const left = Math.max(0, Math.ceil((endsMs - performance.now()) / 1000));
    time.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    bar.value = left;
    if (left > 0) {
      setTimeout(tick, 1000);
      return;
    }
    // A code must not be paid after its end, so it is removed at once. The next answer loads the page that says so.
    over = true;
    document.querySelector('.ways')?.remove();
  };
  tick();
}

/** @param {number} afterMs */
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
    // The network is not reliable: the next request follows.
  }
  ask(Math.min(afterMs * RETRY_GROWTH, SLOWEST_MS));
}

ask(FIRST_MS);
