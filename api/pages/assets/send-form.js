// Sends the form without a click. Without scripts the payer uses its button, or another way that the page offers.
const form = /** @type {HTMLFormElement} */ (document.getElementById('send'));
if (navigator.onLine) form.submit();
else {
  // Like a click on the button, of which `offline.js` makes a text until there is a network.
  form.requestSubmit();
  addEventListener('online', () => form.submit(), { once: true });
}
