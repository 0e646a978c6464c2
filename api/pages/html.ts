/** HTML as values: a template that escapes whatever is put into it, unless it is HTML already (docs/security.md#escaping). */
import escapeHtml from 'escape-html';

/** Text that is HTML. Only {@link html} and {@link raw} make it. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | false | null | undefined | readonly Part[];

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === false || part === null || part === undefined) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return part.map(render).join('');
}

/** Tag of templates: texts and numbers are escaped, lists are joined, what is absent or false is left out. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? '';
  parts.forEach((part, index) => {
    text += render(part) + (strings[index + 1] ?? '');
  });
  return new Html(text);
}

/** For markup of our own in the code. Never for anything that was sent or stored. */
export const raw = (text: string): Html => new Html(text);

/** An attribute that is there when it has a value: `attribute('value', undefined)` is nothing. Takes its own space before. */
export const attribute = (name: string, value: string | number | true | undefined): Html | undefined =>
  value === undefined ? undefined : value === true ? raw(` ${name}`) : html` ${raw(name)}="${value}"`;
