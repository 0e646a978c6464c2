/**
 * Merchant category codes (ISO 18245). A maintenance agency keeps the list of codes, which grows. So a code is checked by the ranges
 * only: each range is reserved for what its name says, and no codes are assigned between the ranges.
 */
export const merchantCategoryRanges = [
  { from: 700, to: 1499, name: 'Agricultural services' },
  { from: 1500, to: 2999, name: 'Contracted services' },
  { from: 3000, to: 3299, name: 'Airlines' },
  { from: 3300, to: 3499, name: 'Car rental' },
  { from: 3500, to: 3999, name: 'Lodging' },
  { from: 4000, to: 4799, name: 'Transportation services' },
  { from: 4800, to: 4999, name: 'Utility services' },
  { from: 5000, to: 5599, name: 'Retail outlet services' },
  { from: 5600, to: 5699, name: 'Clothing stores' },
  { from: 5700, to: 7299, name: 'Miscellaneous stores' },
  { from: 7300, to: 7999, name: 'Business services' },
  { from: 8000, to: 8999, name: 'Professional services and membership organizations' },
  { from: 9000, to: 9999, name: 'Government services' },
] as const;

/** Returns the problem of a category code, worded to follow the field's name; undefined when it is valid. */
export function categoryCodeProblem(text: string): string | undefined {
  if (!/^\d{4}$/.test(text)) return 'must have 4 digits';
  const code = Number(text);
  const known = merchantCategoryRanges.some(({ from, to }) => code >= from && code <= to);
  return known ? undefined : 'is not in a range of ISO 18245';
}
