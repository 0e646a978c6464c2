import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import {
  type CallbackPoster,
  createCallbackPoster,
  type PosterOptions,
  userAgent,
} from '../../../workers/callback/post-callback.js';
import { acceptedTargets, refusedTargets } from '../../outbound/callback-targets.js';
import { type Receiver, startRawServer, startReceiver } from '../../outbound/receiver.js';
import { PATIENCE_MS, until } from '../../support/patience.js';

const local = { environment: 'testing', allowPrivateNetworks: true } as const;
const event = {
  body: '{"id":"pay_1","note":"é\\r\\nX-Evil: 1"}',
  eventId: 'evt_1',
  attempt: 3,
  eventCreatedAt: new Date('2026-01-02T03:04:05.678Z'),
  resourceVersion: 4,
};
const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function poster(options: Partial<PosterOptions> = {}): CallbackPoster {
  const made = createCallbackPoster({ ...local, ...options });
  cleanUps.push(made.close);
  return made;
}
async function receiver(answer?: RequestListener, address?: string): Promise<Receiver> {
  const started = await startReceiver(answer, address);
  cleanUps.push(started.close);
  return started;
}
async function rawServer(talk: Parameters<typeof startRawServer>[0]) {
  const started = await startRawServer(talk);
  cleanUps.push(started.close);
  return started;
}

describe('what is sent', () => {
  it('is one POST with a fixed set of headers', async () => {
    const { received, url, host } = await receiver();
    await expect(poster().post({ ...event, url })).resolves.toMatchObject({ kind: 'answered', status: 200 });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ method: 'POST', url: '/hook?key=1', body: event.body });
    expect(received[0]?.headers).toEqual({
      host,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(event.body)),
      'user-agent': userAgent,
      accept: '*/*',
      'accept-encoding': 'identity',
      'gateway-event-id': 'evt_1',
      'gateway-delivery-attempt': '3',
      'gateway-event-created-at': '2026-01-02T03:04:05.678Z',
      'gateway-resource-version': '4',
    });
  });

  it('names the version of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(userAgent).toBe(`payment-gateway/${version}`);
  });

  it('asks for the host name in TLS, although an address is dialled', async () => {
    let hello = '';
    const { port } = await rawServer((socket) =>
      socket.once('data', (bytes) => {
        hello = bytes.toString('latin1');
        socket.destroy();
      }),
    );
    const url = `https://hooks.example:${port}/`;
    const result = await poster({ resolve: async () => ['127.0.0.1'] }).post({ ...event, url });
    expect(result.kind).toBe('no-answer');
    expect(hello).toContain('hooks.example');
  });
});

describe('targets that are not dialled', () => {
  it('include every refused target', async () => {
    const canary = await receiver();
    const strict = poster({
      environment: 'production',
      allowPrivateNetworks: false,
      resolve: async () => ['127.0.0.1'],
    });
    for (const url of refusedTargets) {
      await expect(strict.post({ ...event, url })).resolves.toMatchObject({ error: 'target-refused' });
    }
    // The text of these hosts looks public, but they resolve to a private address.
    for (const url of acceptedTargets.filter((target) => target.includes('example'))) {
      await expect(strict.post({ ...event, url })).resolves.toMatchObject({ error: 'target-refused' });
    }
    expect(canary.connections()).toBe(0);
  });

  it('are not even looked up when the URL itself is refused', async () => {
    const lookedUp: string[] = [];
    const strict = poster({
      environment: 'production',
      allowPrivateNetworks: false,
      resolve: async (name) => {
        lookedUp.push(name);
        return [];
      },
    });
    for (const url of ['http://hooks.example/', 'https://hooks.example:22/', 'https://user:secret@hooks.example/']) {
      await expect(strict.post({ ...event, url })).resolves.toMatchObject({ error: 'target-refused' });
    }
    expect(lookedUp).toEqual([]);
  });

  it.each([301, 302, 307, 308])('include the location of a %i', async (status) => {
    const canary = await receiver(undefined, '127.0.0.2');
    const { url } = await receiver((_request, response) => response.writeHead(status, { location: canary.url }).end());
    await expect(poster().post({ ...event, url })).resolves.toMatchObject({ kind: 'answered', status });
    expect(canary.connections()).toBe(0);
  });
});

describe('a receiver that misbehaves', () => {
  const quick = { totalMs: 300 };
  const within = async (ms: number, run: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await run();
    expect(performance.now() - startedAt).toBeLessThan(ms);
  };

  it('by never answering ends in a timeout', async () => {
    const { url } = await receiver(() => {});
    await within(PATIENCE_MS, () =>
      expect(poster(quick).post({ ...event, url })).resolves.toMatchObject({ error: 'timeout' }),
    );
  });

  it('by a slow name ends in a timeout, and nothing is sent when there is a connection at last', async () => {
    const { received, connections, port } = await receiver();
    const url = `http://slow.example:${port}/hook`;
    let answerName: (addresses: readonly string[]) => void = () => undefined;
    const name = new Promise<readonly string[]>((resolve) => {
      answerName = resolve;
    });
    const late = poster({ ...quick, resolve: () => name });
    await expect(late.post({ ...event, url })).resolves.toMatchObject({ error: 'timeout' });
    answerName(['127.0.0.1']);
    await until(() => connections() === 1);
    // The next attempt is the only one that the receiver sees.
    await expect(poster({ resolve: () => name }).post({ ...event, attempt: 4, url })).resolves.toMatchObject({
      status: 200,
    });
    expect(received.map(({ headers }) => headers['gateway-delivery-attempt'])).toEqual(['4']);
  });

  it('by dripping headers ends in a timeout', async () => {
    const { port } = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('X-A: b\r\n'), 20);
      socket.once('close', () => clearInterval(timer));
    });
    const url = `http://127.0.0.1:${port}/`;
    await within(PATIENCE_MS, () =>
      expect(poster(quick).post({ ...event, url })).resolves.toMatchObject({ error: 'timeout' }),
    );
  });

  it('by endless headers is cut off', async () => {
    const { port } = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${`X-A: ${'b'.repeat(1_000)}\r\n`.repeat(200)}`);
    });
    const url = `http://127.0.0.1:${port}/`;
    await expect(poster().post({ ...event, url })).resolves.toMatchObject({ error: 'broken-answer' });
  });

  it('by dripping the body has answered, and is cut off at the deadline', async () => {
    const { url } = await receiver((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.once('close', () => clearInterval(timer));
    });
    await within(PATIENCE_MS, () =>
      expect(poster(quick).post({ ...event, url })).resolves.toMatchObject({ kind: 'answered', status: 200 }),
    );
  });

  it.each([
    ['announced', { 'content-length': String(10 * 1024 * 1024) }],
    ['unannounced', {}],
  ])('by a body of 10 MB, %s, is read only in part', async (_how, headers) => {
    let sent = 0;
    const { url } = await receiver((_request, response) => {
      response.writeHead(200, headers);
      const more = () => {
        while (sent < 10 * 1024 * 1024) {
          sent += 64 * 1024;
          if (!response.write(Buffer.alloc(64 * 1024))) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    await expect(poster().post({ ...event, url })).resolves.toMatchObject({ kind: 'answered', status: 200 });
    // What the kernel's buffers took is sent but never read: of the body, 16 kB or what one buffer holds.
    expect(sent).toBeLessThan(9 * 1024 * 1024);
  });

  it('by a compression bomb gets nothing unpacked', async () => {
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const { url } = await receiver((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const before = process.memoryUsage().rss;
    await expect(poster().post({ ...event, url })).resolves.toMatchObject({ status: 200 });
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * 1024 * 1024);
  });

  it.each<[string, Parameters<typeof startRawServer>[0], string]>([
    ['resetting', (socket) => socket.once('data', () => socket.resetAndDestroy()), 'connection-lost'],
    ['hanging up', (socket) => socket.once('data', () => socket.end()), 'connection-lost'],
    ['talking nonsense', (socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n'), 'broken-answer'],
  ])('by %s is reported', async (_how, talk, error) => {
    const { port } = await rawServer(talk);
    const url = `http://127.0.0.1:${port}/`;
    await expect(poster().post({ ...event, url })).resolves.toMatchObject({ kind: 'no-answer', error });
  });

  it('by being gone, or having no address, is reported', async () => {
    const gone = await startReceiver();
    await gone.close();
    await expect(poster().post({ ...event, url: gone.url })).resolves.toMatchObject({ error: 'unreachable' });
    const nameless = poster({ resolve: async () => [] });
    await expect(nameless.post({ ...event, url: 'http://nx.example/' })).resolves.toMatchObject({
      error: 'name-not-resolved',
    });
  });
});
