// Loads the page again now and then: what it waits for happens elsewhere. Without script the page does so by itself.
const { again } = document.querySelector('[data-again]').dataset;

function load() {
  // Without a network there would be no page to come back to. As an address, since the page may answer a form; without its
  // fragment, to which a browser would only scroll.
  if (navigator.onLine) location.replace(location.pathname + location.search);
  else setTimeout(load, Number(again) * 1000);
}

setTimeout(load, Number(again) * 1000);
