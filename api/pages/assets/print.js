// The button that prints. Without scripts it stays hidden, and the browser's own command prints.
const button = /** @type {HTMLElement} */ (document.getElementById('print'));
button.hidden = false;
button.addEventListener('click', () => print());
