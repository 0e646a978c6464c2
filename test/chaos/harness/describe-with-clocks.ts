/** Suites that step clocks: `npm test` names libfaketime in the environment when it can be found or obtained. */
export const faketime = process.env.FAKETIME_LIBRARY || undefined;

if (!faketime) {
  console.warn(
    'Clocks are not stepped: there is no libfaketime. Install the package faketime, or name it in FAKETIME_BIN.',
  );
}

/** `describe`, or `describe.skip` when there is no libfaketime. */
export const describeWithClocks: typeof describe = faketime ? describe : (describe.skip as typeof describe);
