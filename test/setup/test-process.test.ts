/** The time limit of each test and hook, which the runner itself does not know. */
import { limited } from '../../scripts/setup/test-process.mjs';

test('a test that hangs fails when its time is up', async () => {
  await expect(limited(() => new Promise(() => {}), 5)()).rejects.toThrow('not done within 5 ms');
});

test.each([
  ['a value', () => 7, 7],
  ['a promise', async () => 7, 7],
])('a result is passed on: %s', async (_, fn, value) => expect(await limited(fn)()).toBe(value));

test.each([
  ['what it throws', () => JSON.parse('{')],
  ['what it rejects with', async () => JSON.parse('{')],
])('an error is passed on: %s', async (_, fn) => {
  await expect(limited(fn)()).rejects.toThrow(SyntaxError);
});

let ran: unknown;
beforeEach((...given: unknown[]) => {
  ran = given;
});
test('a hook gets no arguments, and ends before its test begins', () => expect(ran).toEqual([]));
