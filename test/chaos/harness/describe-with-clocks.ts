/** Suites that step clocks: `npm test` names libfaketime in the environment, where it is here or to be had. */
export const faketime = process.env.FAKETIME_LIBRARY || undefined;

if (!faketime) {
  console.warn(
    'Clocks are not stepped: there is no libfaketime. Install the package faketime, or name it in FAKETIME_BIN.',
  );
}

/** `describe`, or a skipped one where there is no libfaketime. */
export const describeWithClocks: typeof describe = faketime ? describe : (describe.skip as typeof describe);
