// Counts down, and polls whether the transfer arrived. Without scripts the page reloads itself.
const FIRST_MS = 1000;
const SLOWEST_MS = 5000;
const RETRY_GROWTH = 1.2;
/** When the network changes, a request may get neither an answer nor an error: it is aborted and made again. */
const SILENT_MS = 10_000;

/** The time left, which a code has. @type {HTMLTimeElement | null} */
const time = document.querySelector('time[data-left]');
const bar = document.querySelector('progress');
const note = /** @type {HTMLElement} */ (document.querySelector('[data-status]'));
/** The try that this page shows, and its status. In another tab the payer may have requested the code of another try. */
const { dataset: shown } = note;
let over = false;
let endsMs = Infinity;

/**
 * Uses a clock that no setting of the device changes. It may stop while the device sleeps, so each answer has the seconds left.
 * @param {number} seconds
 */
function setLeft(seconds) {
  endsMs = Math.min(endsMs, performance.now() + seconds * 1000);
}

/** A code must not be paid after its end: it is removed at once, and the page says so, as it does when it is loaded then. */
function removeCode() {
  over = true;
  const ways = document.querySelector('.ways');
  const hadFocus = ways?.contains(document.activeElement);
  ways?.remove();
  const [title, more] = ['h1', '[data-status] span'].map((selector) => document.querySelector(selector));
  if (title) title.textContent = shown.over ?? '';
  if (more) more.textContent = shown.overMore ?? '';
  if (!hadFocus) return;
  note.tabIndex = -1;
  note.focus();
}

if (time && bar) {
  setLeft(Number(time.dataset.left));
  const tick = () => {
    const left = Math.max(0, Math.ceil((endsMs - performance.now()) / 1000));
    time.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    bar.value = left;
    if (left > 0) setTimeout(tick, 1000);
    else removeCode();
  };
  tick();
}

/** Loads the page anew. The control that has the focus gets it again, as far as the new page has it. */
function load() {
  history.replaceState({ focused: document.activeElement?.id }, '', location.href);
  location.reload();
}

const { focused = '' } = history.state ?? {};
// Once `copy.js` has shown its button.
if (focused)
  document.addEventListener('DOMContentLoaded', () => {
    history.replaceState(null, '', location.href);
    document.getElementById(focused)?.focus({ preventScroll: true });
  });

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
      const now = status === 'pending' && left === undefined ? 'making' : status;
      if (now !== shown.status || String(attempt) !== shown.attempt || cameEarlier || (over && left > 0)) {
        load();
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
