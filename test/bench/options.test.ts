import { readOptions } from '../../bench/options.mjs';
import { withDatabase } from '../../bench/with-database.mjs';

test('the defaults are 3 s, 3 repetitions and four concurrencies', () => {
  expect(readOptions([])).toEqual({
    secs: 3,
    reps: 3,
    conc: [1, 16, 64, 256],
    json: undefined,
    profile: false,
    trace: false,
    stored: 0,
  });
});

test('options on the command line replace the defaults', () => {
  const args = [
    '--secs',
    '5',
    '--reps=1',
    '--conc',
    '64,8',
    '--json',
    'out.json',
    '--profile',
    '--trace',
    '--stored',
    '1000',
  ];
  expect(readOptions(args)).toEqual({
    secs: 5,
    reps: 1,
    conc: [64, 8],
    json: 'out.json',
    profile: true,
    trace: true,
    stored: 1000,
  });
});

test.each([
  ['--secs', '0'],
  ['--reps', '1.5'],
  ['--conc', '64,x'],
  ['--conc', '64,64'],
  ['--conc', '5000'],
  ['--stored', '-1'],
  ['--fast'],
])('refuses %s %s and shows the usage', (...args) => {
  expect(() => readOptions(args)).toThrow(/npm run bench/);
});

test.each([
  ['mongodb://127.0.0.1:27017/', 'mongodb://127.0.0.1:27017/bench_1'],
  ['mongodb://u:p@h1:1,h2:2/other?replicaSet=rs0', 'mongodb://u:p@h1:1,h2:2/bench_1?replicaSet=rs0'],
  ['mongodb+srv://cluster.example.com', 'mongodb+srv://cluster.example.com/bench_1'],
  ['mongodb://h?x=1', 'mongodb://h/bench_1?x=1'],
])('the connection string %s gets another database', (uri, expected) => {
  expect(withDatabase(uri, 'bench_1')).toBe(expected);
});

test('a text that is no connection string is refused without being repeated', () => {
  expect(() => withDatabase('secret', 'bench_1')).toThrow(/^MONGODB_URI is not/);
});
