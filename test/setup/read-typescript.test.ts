/** Suites are read as they are written: functions are not named anew each time they are made, and stack traces lead to the source. */

/** Fails, from within a function that is made by each call. */
const fail = () => {
  const inner = () => {
    throw new Error('on purpose');
  };
  inner();
};

test('no function is given its name by a call', () => {
  expect(fail.toString()).toContain('const inner = () =>');
});

test('a stack trace has the names and the lines of the source', () => {
  const stack = (() => {
    try {
      return fail();
    } catch (error) {
      return (error as Error).stack;
    }
  })();
  expect(stack).toMatch(/at inner \(.*test\/setup\/read-typescript\.test\.ts:6:\d+\)/);
  expect(stack).toMatch(/at fail \(.*test\/setup\/read-typescript\.test\.ts:8:\d+\)/);
});
