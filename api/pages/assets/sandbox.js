// Callbacks appear by themselves while the page is looked at. Without script, "Look again" loads the page.
const inbox = document.getElementById('inbox');
let shown = '';

async function look() {
  if (document.hidden) return;
  const answer = await fetch(inbox.dataset.from).catch(() => undefined);
  if (!answer?.ok) return;
  const list = await answer.text();
  // The same list is left alone: what was opened in it stays open.
  if (list !== shown && shown !== '') inbox.innerHTML = list;
  shown = list;
}

setInterval(look, 2000);
look();
