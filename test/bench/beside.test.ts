/** `npm run beside`: its options. */
import { join } from 'node:path';
import { readBesideOptions } from '../../bench/beside.mjs';

test('the defaults are eight pairs of 3 s at 64 calls, against another compiled folder', () => {
  const dist = join(process.cwd(), 'other/dist');
  expect(readBesideOptions(['other/dist'])).toEqual({ dist, secs: 3, reps: 8, conc: 64, json: undefined });
  const nodeOptions = '--max-semi-space-size=8';
  const given = ['--secs', '2', '--reps=4', '--conc', '1', '--json', 'x.json', `--node-options=${nodeOptions}`, dist];
  expect(readBesideOptions(given)).toEqual({ dist, secs: 2, reps: 4, conc: 1, json: 'x.json', nodeOptions });
});

test.each([[[]], [['a', 'b']], [['a', '--conc', '0']], [['a', '--profile']]])('%j shows the usage', (args) => {
  expect(() => readBesideOptions(args)).toThrow(/npm run beside/);
});
