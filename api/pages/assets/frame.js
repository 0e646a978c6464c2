// Inside an integrator's page: tells only that page how tall this page is and what became of the card. Never sends card data.
const main = document.getElementById('main');
const { origin, session, status } = main.dataset;
const tell = (message) => parent.postMessage({ source: 'gateway', sessionId: session, ...message }, origin);

if (parent !== window && origin) {
  const tellHeight = () => tell({ type: 'height', height: Math.ceil(main.getBoundingClientRect().height) });
  new ResizeObserver(tellHeight).observe(main);
  const goesOn = ['ready', 'waiting', 'error'].includes(status || 'ready');
  tell(goesOn ? { type: status || 'ready' } : { type: 'result', status });
}
