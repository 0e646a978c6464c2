/**
 * The colour of a merchant as a separate style sheet: the policy of the pages forbids inline styles. The sheet is derived from its
 * address alone, so it never changes and any cache may keep it.
 */
const NAME = /^([0-9a-f]{6})\.css$/;

/** @param color six hexadecimal digits in lowercase. */
export const colorSheetPath = (color: string): string => `/assets/colors/${color}.css`;

/**
 * Returns the style sheet for an address. The colour is used only by browsers that can derive legible text and lines from it (WCAG 2.2,
 * 1.4.3); the others keep our colour.
 * @param name last part of the address.
 * @returns undefined when the name is not a colour.
 */
export function colorSheet(name: string): string | undefined {
  const [, color] = NAME.exec(name) ?? [];
  return color && `@supports (color: color(from red xyz-d65 x y z)) { :root { --accent: #${color} } }\n`;
}
