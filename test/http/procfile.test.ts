/** The lines of the Procfile as a platform runs them: shared settings, consecutive PORTs, and several processes of one line on a host. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { freePort } from '../../scripts/setup/ports.mjs';
import { readProcfile } from '../../scripts/setup/procfile.mjs';
import { type Entry, endSpawned, type Spawned, soundSettings, spawnEntry } from '../config/spawn-entry.js';
import { testMongoUri } from '../support/services.js';

afterAll(endSpawned);

function startLine(name: string, env: Record<string, string>): Spawned {
  const lines: { name: string; args: string[] }[] = readProcfile(process.cwd());
  const words = lines.find((line) => line.name === name)?.args ?? [];
  const at = words.findIndex((word) => !word.startsWith('-'));
  const entry = words[at]?.replace(/^dist\/|\.js$/g, '') as Entry;
  return spawnEntry(entry, env, words.slice(at + 1), words.slice(0, at));
}

const statusOf = async (url: string) => (await fetch(url)).status;

/** Returns the operator port in the log of a process. The line may come after the message that the process is ready. */
async function operatorPortOf({ output }: Spawned): Promise<number> {
  for (;;) {
    const line = /^.*operator\.listening.*$/m.exec(output().stdout)?.[0];
    if (line?.endsWith('}')) return (JSON.parse(line) as { port: number }).port;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('two processes of each line run on one host, each with its own operator port that its log names', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const operatorPort = String((taken.address() as AddressInfo).port);
  const settings = { ...soundSettings(), MONGODB_URI: testMongoUri('procfile'), LOG_LEVEL: 'info', HOST: '0.0.0.0' };
  const start = async (name: string) => {
    const env = {
      ...settings,
      PORT: String(await freePort()),
      OPERATOR_PORT: operatorPort,
      WORKER_OPERATOR_PORT: operatorPort,
    };
    const one = startLine(name, env);
    await one.ready;
    return { ...one, port: env.PORT, operatorPort: await operatorPortOf(one) };
  };
  const all = await Promise.all(['web', 'web', 'expiry', 'expiry'].map(start));
  taken.close();
  for (const { port } of all.slice(0, 2)) {
    // HOST=0.0.0.0: the process also listens on an address that is not the default.
    expect(await statusOf(`http://127.0.0.2:${port}/healthz`)).toBe(200);
  }
  const operatorPorts = all.map((one) => one.operatorPort);
  expect(new Set(operatorPorts).size).toBe(4);
  expect(operatorPorts).not.toContain(Number(operatorPort));
  for (const port of operatorPorts) expect(await statusOf(`http://127.0.0.1:${port}/metrics`)).toBe(401);
});
