// Inside an integrator's page: tells only that page how tall this page is and what became of the card. Never sends card data.
const main = /** @type {HTMLElement} */ (document.getElementById('main'));
const { origin, session, status } = main.dataset;

if (parent !== window && origin) {
  /** @param {{ type: string, height?: number, status?: string }} message */
  const tell = (message) => parent.postMessage({ source: 'gateway', sessionId: session, ...message }, origin);
  const tellHeight = () => tell({ type: 'height', height: Math.ceil(main.getBoundingClientRect().height) });
  new ResizeObserver(tellHeight).observe(main);
  const shown = status || 'ready';
  tell(['ready', 'waiting', 'error'].includes(shown) ? { type: shown } : { type: 'result', status: shown });
}
