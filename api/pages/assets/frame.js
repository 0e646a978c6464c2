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

  // A page that answers a form cannot be shown again: a payer who came back to the shop's page saw the browser's own error page in the
  // frame. Now the browser requests the address again. That request has no referrer, so the address names the shop's page.
  const address = new URL(location.href);
  address.searchParams.set('origin', origin);
  history.replaceState(history.state, '', address);
}
