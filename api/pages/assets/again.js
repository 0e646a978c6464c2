// Reloads the page now and then, because the event that it waits for happens elsewhere. Without scripts the page reloads itself.
const link = /** @type {HTMLElement} */ (document.querySelector('[data-again]'));
const afterMs = Number(link.dataset.again) * 1000;

function load() {
  // Without a network no page would load. The address is loaded instead of reloaded, because the page may answer a form; without its
  // fragment, to which a browser would only scroll.
  if (navigator.onLine) location.replace(location.pathname + location.search);
  else setTimeout(load, afterMs);
}

setTimeout(load, afterMs);
