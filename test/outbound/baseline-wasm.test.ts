/** V8 does not optimize the parser of answers, as optimizing takes memory. Measured in a process without the test runner's memory. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const EXCHANGES = 3_000;
const MB_MAX = 25;

const script = `
import { createServer } from 'node:http';
import { getHeapStatistics } from 'node:v8';
const { createHttpExchange } = await import(process.argv[1]);
const server = createServer((request, response) => request.resume().once('end', () => response.end('{}'))).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const baseUrl = 'http://127.0.0.1:' + server.address().port;
const { exchange } = createHttpExchange({ baseUrl, timeoutMs: 5_000 });
let answered = 0;
for (let sent = 0; sent < ${EXCHANGES}; sent += 10) {
  const answers = await Promise.all(Array.from({ length: 10 }, () => exchange({ method: 'POST', path: '/', body: {} })));
  answered += answers.filter(({ kind }) => kind === 'answered').length;
}
console.log(JSON.stringify({ answered, mb: getHeapStatistics().peak_malloced_memory / 2 ** 20 }));
process.exit();
`;

test('the compilers of a process that sends requests take little memory', () => {
  const module = join(process.cwd(), 'shared/processors/http-exchange.ts');
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script, module];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect(stderr).toBe('');
  const { answered, mb } = JSON.parse(stdout);
  expect(answered).toBe(EXCHANGES);
  expect(mb).toBeLessThan(MB_MAX);
});
