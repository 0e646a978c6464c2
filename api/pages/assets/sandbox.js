// Shows new callbacks while the page is visible. Without scripts, "Look again" reloads the page.
const inbox = /** @type {HTMLElement} */ (document.getElementById('inbox'));
const { from = '' } = inbox.dataset;
/**
 * The list that was loaded last. Undefined at first: the list of the page itself may be old when the page is first visible.
 * @type {string | undefined}
 */
let shown;

async function look() {
  if (document.hidden) return;
  const answer = await fetch(from).catch(() => undefined);
  if (!answer?.ok) return;
  const list = await answer.text();
  // An unchanged list is not replaced, so that opened entries stay open.
  if (list !== shown) inbox.innerHTML = list;
  shown = list;
}

setInterval(look, 2000);
look();
