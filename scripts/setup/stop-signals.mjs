/** Handles Ctrl-C, SIGTERM and a closed terminal: the first request stops in order, the second one at once. */

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
/** Under npm one Ctrl-C arrives twice: from the terminal, and forwarded by npm. */
const SAME_REQUEST_MS = 500;
const PARENT_POLL_MS = 500;

/**
 * @param {() => void} onSecondRequest called at the second request; the process ends right afterwards
 * @returns {AbortSignal} aborted at the first request
 */
export function stopSignals(onSecondRequest) {
  const controller = new AbortController();
  let firstAt = 0;
  const requestStop = () => {
    firstAt = performance.now();
    controller.abort();
  };
  if (process.env.npm_lifecycle_event) whenParentEnds(requestStop);
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (!controller.signal.aborted) {
        requestStop();
      } else if (performance.now() - firstAt > SAME_REQUEST_MS) {
        onSecondRequest();
        process.exit(130);
      }
    });
  }
  return controller.signal;
}

/**
 * Detects the end of the shell under which npm runs this process: a signal to npm ends only the shell, and this process gets another
 * parent.
 * @param {() => void} ask
 */
function whenParentEnds(ask) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    ask();
  }, PARENT_POLL_MS);
  timer.unref();
}

/** @param {AbortSignal} signal @returns {Promise<void>} resolves when the signal is aborted */
export function aborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
