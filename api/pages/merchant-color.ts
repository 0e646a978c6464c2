/**
 * The colour of a merchant, as a style sheet of its own: a page has no styles within it (its policy forbids them). The sheet is
 * made of its address alone, so it is the same for ever and any cache may keep it.
 */
const NAME = /^([0-9a-f]{6})\.css$/;

/** @param color six hexadecimal digits in lower case. */
export const colorSheetPath = (color: string): string => `/assets/colors/${color}.css`;

/**
 * The colour is used only by browsers that derive the text on it, and the lines of it, so that both are legible (WCAG 2.2,
 * 1.4.3); the others keep ours.
 * @param name last part of the address.
 * @returns undefined when it names no colour.
 */
export function colorSheet(name: string): string | undefined {
  const [, color] = NAME.exec(name) ?? [];
  return color && `@supports (color: color(from red xyz-d65 x y z)) { :root { --accent: #${color} } }\n`;
}
