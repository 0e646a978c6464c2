/** A second `npm test` while the run of this suite lasts. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { testFolders } from '../../scripts/setup/paths.mjs';
import { recordProcess } from '../../scripts/setup/program.mjs';

test('a second run is refused, and ends no process of the first one', async () => {
  const server = spawn(process.execPath, ['-e', 'process.send(1); setInterval(() => {}, 1e6)'], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  });
  await once(server, 'message');
  const forget = recordProcess(testFolders.run, 'server-of-the-first', server.pid);
  const ended = once(server, 'exit');
  try {
    const second = spawnSync(process.execPath, ['scripts/test.mjs', 'test/money'], { encoding: 'utf8' });
    expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining('runs here already as process') });
    expect(second.stdout).toMatch(/0 passed, 1 failed\n$/);
    expect([server.exitCode, server.signalCode]).toEqual([null, null]);
  } finally {
    forget();
    server.kill();
    await ended;
  }
});
