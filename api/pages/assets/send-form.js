// Sends the form without a click. Without scripts the payer uses its button, or another way that the page offers.
const form = /** @type {HTMLFormElement} */ (document.getElementById('send'));
form.submit();
