import { explain, isDiskFull, Problem } from '../../scripts/setup/problem.mjs';
import { lastOutputLines } from '../../scripts/setup/run-command.mjs';

const withCode = (code: string, path?: string) => Object.assign(new Error(`${code}: it failed`), { code, path });

test.each([
  withCode('ENOSPC'),
  withCode('EDQUOT'),
  new Problem('npm ci failed:\nnpm error code ENOSPC'),
  new Problem(
    'pip download failed: ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device',
  ),
  new Error('wrapped', { cause: withCode('ENOSPC') }),
])('a full disk is explained in one sentence: %s', (error) => {
  expect(isDiskFull(error)).toBe(true);
  expect(explain(error, '/srv/gateway')).toBe(
    'The disk that holds /srv/gateway is full: free some space and try again.',
  );
});

test('a folder without write access is named', () => {
  expect(explain(withCode('EACCES', '/srv/gateway/.local'), '/srv/gateway')).toBe(
    '/srv/gateway/.local cannot be written (EACCES): this user needs write access to /srv/gateway.',
  );
});

test('a problem is explained without its stack, and a bug with it', () => {
  expect(explain(new Problem('Port 1 is taken.'), '/')).toBe('Port 1 is taken.');
  expect(explain(new TypeError('x is not a function'), '/')).toMatch(/TypeError: x is not a function\n\s+at /);
  expect(isDiskFull(new TypeError('x'))).toBe(false);
});

test('the last words of a command leave out lines that only point to a log', () => {
  const stderr = 'npm error one\nnpm error two\n\nnpm error A complete log of this run can be found in: /x/y.log\n';
  expect(lastOutputLines({ code: 1, stdout: 'noise', stderr }, 2)).toBe('npm error one\nnpm error two');
  expect(lastOutputLines({ code: 3, stdout: 'only this\n', stderr: '' })).toBe('only this');
  expect(lastOutputLines({ code: 3, stdout: '', stderr: '' })).toBe('exit code 3');
  expect(lastOutputLines({ code: null, stdout: '', stderr: 'x', problem: 'npm is not installed' })).toBe(
    'npm is not installed',
  );
});
