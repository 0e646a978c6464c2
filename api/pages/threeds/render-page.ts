/** One plain page that works without scripts: a heading, a sentence, and at most a form, which a script sends at once. */
interface Page {
  readonly title: string;
  readonly text: string;
  readonly form?: {
    readonly action: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly button: string;
  };
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const html = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;display:grid;place-items:center;min-height:100vh;background:Canvas;color:CanvasText}
main{width:min(28rem,100% - 2rem);text-align:center}
button{padding:.75rem 1.25rem;font:inherit;cursor:pointer}button:focus-visible{outline:3px solid #2b6cb0;outline-offset:2px}`;

function renderForm({ action, fields, button }: NonNullable<Page['form']>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${html(name)}" value="${html(value)}">`,
  );
  return `<form id="next" method="post" action="${html(action)}">${inputs.join('')}<button>${html(button)}</button></form>`;
}

/** @param nonce of the page's content security policy. */
export function renderPage({ title, text, form }: Page, nonce: string): string {
  const script = form ? `<script nonce="${nonce}">document.getElementById('next').submit()</script>` : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer"><title>${html(title)}</title><style nonce="${nonce}">${style}</style></head>
<body><main><h1>${html(title)}</h1><p>${html(text)}</p>${form ? renderForm(form) : ''}</main>${script}</body></html>`;
}
