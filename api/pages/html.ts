/** HTML as values: a template that escapes everything put into it, except values that are already HTML (docs/security.md#escaping). */
import escapeHtml from 'escape-html';

/** Text that is HTML. Only {@link html} and {@link raw} create it. */
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

/** Template tag: texts and numbers are escaped, lists are joined, absent or false values are left out. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? '';
  parts.forEach((part, index) => {
    text += render(part) + (strings[index + 1] ?? '');
  });
  return new Html(text);
}

/** Marks our own markup in the code as HTML. Never use it for anything that was sent or stored. */
export const raw = (text: string): Html => new Html(text);

/** Writes an attribute only if it has a value: `attribute('value', undefined)` is nothing. Includes the space before it. */
export const attribute = (name: string, value: string | number | true | undefined): Html | undefined =>
  value === undefined ? undefined : value === true ? raw(` ${name}`) : html` ${raw(name)}="${value}"`;
