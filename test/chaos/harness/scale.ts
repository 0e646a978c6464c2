/** The suites run small with `npm test`, and at the size that docs/chaos.md names with `npm run chaos -- --suites`. */
export const isLong = process.env.CHAOS_LONG === '1';

export const sized = (small: number, full: number): number => (isLong ? full : small);
