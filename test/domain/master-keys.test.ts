import fc from 'fast-check';
import { chooseWrappingKey, type KeyHolder, keysNeededToStart, lackingKey } from '../../shared/domain/master-keys.js';

const holder = (...masterKeyIds: string[]): KeyHolder => ({ role: 'web', host: 'h', pid: 1, masterKeyIds });

test.each<[string, string[], KeyHolder[], string | undefined]>([
  ['no other process runs: the newest', ['k2', 'k1'], [], 'k2'],
  ['all hold the newest', ['k2', 'k1'], [holder('k2', 'k1'), holder('k2')], 'k2'],
  ['one lacks it: the next', ['k2', 'k1'], [holder('k2', 'k1'), holder('k1')], 'k1'],
  ['others hold a newer one', ['k1'], [holder('k2', 'k1')], 'k1'],
  ['none is held by all', ['k2'], [holder('k1')], undefined],
  [
    'none is held by all, although each pair shares one',
    ['k1', 'k2'],
    [holder('k2', 'k3'), holder('k3', 'k1')],
    undefined,
  ],
])('the chosen wrapping key: %s', (_name, own, holders, chosen) => {
  expect(chooseWrappingKey(own, holders)).toBe(chosen);
});

const keyIds = fc.uniqueArray(fc.constantFrom<string>('k1', 'k2', 'k3', 'k4'), { minLength: 1 });

test('property: every process has the wrapping key, and no newer key is held by all', () => {
  fc.assert(
    fc.property(keyIds, fc.array(keyIds), (own, others) => {
      const holders = others.map((ids) => holder(...ids));
      const chosen = chooseWrappingKey(own, holders);
      const newer = chosen === undefined ? own : own.slice(0, own.indexOf(chosen));
      if (chosen !== undefined) expect(lackingKey(chosen, holders)).toEqual([]);
      for (const keyId of newer) expect(lackingKey(keyId, holders)).not.toEqual([]);
    }),
  );
});

test.each<[string, string[], KeyHolder[], string[], string[]]>([
  ['it holds all', ['k2', 'k1'], [holder('k1')], ['k1'], []],
  ['it lacks one that others use', ['k1'], [holder('k2', 'k1'), holder('k1')], ['k2', 'k1'], ['k2']],
  ['it lacks one that no process uses yet', ['k1'], [holder('k2', 'k1')], ['k1'], []],
  ['it lacks one that no process holds any more', ['k2'], [holder('k2')], ['k1', 'k2'], []],
  ['it is the first', ['k2'], [], ['k1'], []],
])('the keys that a process needs to start: %s', (_name, own, holders, wrapping, needed) => {
  expect(keysNeededToStart(own, holders, wrapping)).toEqual(needed);
});
