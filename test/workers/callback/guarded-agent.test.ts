import { createSocket } from 'node:dgram';
import { connect, createServer, isIP } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import {
  createGuardedAgent,
  createResolver,
  type GuardOptions,
  NameNotResolvedError,
  pinAddresses,
  TargetRefusedError,
} from '../../../workers/callback/guarded-agent.js';
import { acceptedTargets, refusedTargets } from '../../outbound/callback-targets.js';
import { type Receiver, startReceiver } from '../../outbound/receiver.js';
import { makeCertificate } from '../../support/make-certificate.js';
import { startTlsFront } from '../../support/tls-front.js';

const strict = { allowPrivateNetworks: false, connectMs: 500 };
let canaries: Receiver[];
let agents: Agent[];

beforeAll(async () => {
  canaries = [await startReceiver(undefined, '127.0.0.1'), await startReceiver(undefined, '::1')];
});
beforeEach(() => {
  agents = [];
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.destroy()));
  expect(canaries.map((canary) => canary.connections())).toEqual([0, 0]);
});
afterAll(() => Promise.all(canaries.map((canary) => canary.close())));

function agentWith(options: GuardOptions): Agent {
  const agent = createGuardedAgent(options);
  agents.push(agent);
  return agent;
}
const call = (agent: Agent, host: string, port: number) =>
  agent.request({ origin: `http://${host}:${port}`, path: '/', method: 'POST', body: '{}' });
const answering = (...answers: string[][]) => {
  let calls = 0;
  const resolve = async () => answers[Math.min(calls++, answers.length - 1)] ?? [];
  return { resolve, calls: () => calls };
};

const A = 1;
const AAAA = 28;

/**
 * Starts a name server that answers queries of one type (RFC 1035, 4), except the first `lost` ones, and stays silent about the other
 * types.
 */
async function startNameServer(answered: number, lost = 0) {
  const socket = createSocket('udp4');
  let toLose = lost;
  socket.on('message', (query, { port, address }) => {
    const typeAt = query.indexOf(0, 12) + 1;
    if (query.readUInt16BE(typeAt) !== answered || toLose-- > 0) return;
    const data = answered === A ? '08080808' : '20014860000000000000000000000008';
    // The flags of an answer, then one question and one answer.
    const head = Buffer.concat([query.subarray(0, 2), Buffer.from('81800001000100000000', 'hex')]);
    const record = `c00c${query.toString('hex', typeAt, typeAt + 4)}0000003c00${answered === A ? '04' : '10'}${data}`;
    socket.send(Buffer.concat([head, query.subarray(12, typeAt + 4), Buffer.from(record, 'hex')]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

/** Hosts of the corpus that are an address after the URL parser has read them. */
const literalHosts = refusedTargets
  .filter((url) => URL.canParse(url) && isIP(new URL(url).hostname.replace(/[[\]]/g, '')) !== 0)
  .map((url) => new URL(url).hostname);

describe('addresses in the URL', () => {
  it('has all literal forms', () => expect(literalHosts.length).toBeGreaterThanOrEqual(51));

  it.each(literalHosts)('never dials %s', async (host) => {
    const agent = agentWith(strict);
    for (const { port } of canaries) await expect(call(agent, host, port)).rejects.toThrow(TargetRefusedError);
  });

  it.each(acceptedTargets)('would dial %s', async (url) => {
    const { hostname } = new URL(url);
    await expect(pinAddresses(hostname, { ...strict, resolve: async () => ['1.1.1.1'] })).resolves.toHaveLength(1);
  });

  it('dials loopback when private networks are allowed', async () => {
    const receiver = await startReceiver();
    const agent = agentWith({ ...strict, allowPrivateNetworks: true });
    const { statusCode, body } = await call(agent, '127.0.0.1', receiver.port);
    await body.dump();
    expect([statusCode, receiver.received.length]).toEqual([200, 1]);
    await receiver.close();
  });
});

describe('names', () => {
  it.each([
    ['a private address', ['127.0.0.1']],
    ['a public and a private address', ['1.1.1.1', '127.0.0.1']],
    ['the end of a CNAME chain to a private address', ['10.0.0.7']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['the unspecified address', ['0.0.0.0']],
    ['a unique local address', ['fd12::1']],
    ['a public and a link-local address', ['2606:4700:4700::1111', 'fe80::1']],
    ['an address with a zone', ['fe80::1%eth0']],
    ['something that is no address', ['localhost']],
  ])('that resolve to %s are refused', async (_what, answers) => {
    const agent = agentWith({ ...strict, resolve: async () => answers });
    for (const { port } of canaries) {
      await expect(call(agent, 'hooks.example', port)).rejects.toThrow(TargetRefusedError);
    }
  });

  it.each(['localhost', '127.0.0.1.nip.example'])(
    'like %s are judged by their address, not their text',
    async (name) => {
      const agent = agentWith({ ...strict, resolve: async () => ['127.0.0.1', '::1'] });
      for (const { port } of canaries) await expect(call(agent, name, port)).rejects.toThrow(TargetRefusedError);
    },
  );

  it('that do not resolve, or whose name server is silent, are refused as unresolved', async () => {
    const unknown = { ...strict, resolve: () => Promise.reject(new Error('ENOTFOUND')) };
    await expect(pinAddresses('nx.example', unknown)).rejects.toThrow(NameNotResolvedError);
    const silent = { ...strict, resolveMs: 50, resolve: () => new Promise<string[]>(() => {}) };
    await expect(pinAddresses('slow.example', silent)).rejects.toThrow(NameNotResolvedError);
  });

  it.each([
    ['is silent about version 6', A, ['8.8.8.8']],
    ['is silent about version 4', AAAA, ['2001:4860::8']],
  ])('whose name server %s have the addresses of the other version', async (_what, answered, addresses) => {
    const server = await startNameServer(answered);
    const resolve = createResolver({ timeoutMs: 3_000, hostsFile: false, servers: [server.address] });
    expect(await pinAddresses('hooks.example', { ...strict, resolve })).toEqual(addresses);
    server.close();
  });

  it('whose first name server is dead are resolved by the next one', async () => {
    const dead = await startNameServer(A, Number.POSITIVE_INFINITY);
    const server = await startNameServer(A);
    const resolve = createResolver({ timeoutMs: 3_000, hostsFile: false, servers: [dead.address, server.address] });
    expect(await pinAddresses('hooks.example', { ...strict, resolve })).toEqual(['8.8.8.8']);
    dead.close();
    server.close();
  });

  it('whose query is lost on the way are asked for again', async () => {
    const server = await startNameServer(A, 1);
    const resolve = createResolver({ timeoutMs: 3_000, hostsFile: false, servers: [server.address] });
    expect(await pinAddresses('hooks.example', { ...strict, resolve, resolveMs: 9_000 })).toEqual(['8.8.8.8']);
    server.close();
  });

  it.each([
    [
      'those of version 4 first, which more networks have',
      ['2606:4700::1', '1.1.1.1', '1.0.0.1'],
      ['1.1.1.1', '1.0.0.1', '2606:4700::1'],
    ],
    ['version 6 where there is no other', ['2606:4700::1', '2606:4700::2'], ['2606:4700::1', '2606:4700::2']],
    ['three at most', ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'], ['1.1.1.1', '1.1.1.2', '1.1.1.3']],
  ])('are dialled at %s', async (_what, answers, pinned) => {
    expect(await pinAddresses('hooks.example', { ...strict, resolve: async () => answers })).toEqual(pinned);
  });

  it.each([
    ['refuses connections', ['127.0.0.2', '127.0.0.1']],
    ['of version 4 refuses connections, and version 6 does not', ['::1', '127.0.0.2']],
  ])('of which one address %s are reached at the other', async (_what, answers) => {
    const receiver = await startReceiver(undefined, answers.includes('::1') ? '::1' : '127.0.0.1');
    const agent = agentWith({ ...strict, allowPrivateNetworks: true, connectMs: 1_000, resolve: async () => answers });
    const { statusCode, body } = await call(agent, 'hooks.example', receiver.port);
    await body.dump();
    expect([statusCode, receiver.received.length]).toEqual([200, 1]);
    await receiver.close();
  });

  it('of which one address accepts connections but never speaks TLS are reached at the other', async () => {
    const certificate = await makeCertificate('hooks.example');
    const receiver = await startReceiver();
    const front = await startTlsFront(certificate, receiver.port);
    const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(front.port, '127.0.0.2', resolve));
    const resolve = async () => ['127.0.0.2', '127.0.0.1'];
    const agent = agentWith({ allowPrivateNetworks: true, connectMs: 3_000, resolve, ca: certificate.cert });
    const origin = `https://hooks.example:${front.port}`;
    const { statusCode, body } = await agent.request({ origin, path: '/', method: 'POST', body: '{}' });
    await body.dump();
    expect([statusCode, receiver.received.length]).toEqual([200, 1]);
    await Promise.all([agent.destroy(), front.close(), receiver.close()]);
    await new Promise((resolve) => silent.close(resolve));
  });

  it('of this machine are resolved when private networks are allowed', async () => {
    const [first] = await pinAddresses('localhost', { ...strict, allowPrivateNetworks: true });
    expect(first).toBe('127.0.0.1');
  });

  it('are not looked up when they are addresses', async () => {
    const resolve = () => Promise.reject(new Error('asked'));
    expect(await pinAddresses('[2606:4700::1]', { ...strict, resolve })).toEqual(['2606:4700::1']);
    expect(await pinAddresses('1.1.1.1', { ...strict, resolve })).toEqual(['1.1.1.1']);
  });

  it('that fail have an error code, which the log and the merchant get', () => {
    expect(new TargetRefusedError()).toMatchObject({
      name: 'TargetRefusedError',
      code: 'TARGET_REFUSED',
      message: 'the target is not a permitted address',
    });
    expect(new NameNotResolvedError()).toMatchObject({
      name: 'NameNotResolvedError',
      code: 'NAME_NOT_RESOLVED',
      message: 'the host name could not be resolved',
    });
  });

  it('are reached through a proxy, whose own address is not the target', async () => {
    const receiver = await startReceiver();
    const dial: buildConnector.connector = (_target, callback) => {
      const socket = connect(receiver.port, '127.0.0.1', () => callback(null, socket as never));
    };
    const agent = agentWith({ ...strict, resolve: async () => ['1.1.1.1'], dial, throughProxy: true });
    const { statusCode, body } = await call(agent, 'hooks.example', receiver.port);
    await body.dump();
    expect(statusCode).toBe(200);
    await agent.destroy();
    await receiver.close();
  });

  it('are resolved once, dialled at the address that was checked, and keep their name for TLS', async () => {
    const dialled: buildConnector.Options[] = [];
    const dial: buildConnector.connector = (target, callback) => {
      dialled.push(target);
      callback(new Error('not today'), null);
    };
    const { resolve, calls } = answering(['1.1.1.1', '1.0.0.1'], ['127.0.0.1']);
    const agent = agentWith({ ...strict, resolve, dial });
    await expect(call(agent, 'hooks.example', canaries[0]?.port ?? 0)).rejects.toThrow('not today');
    expect(calls()).toBe(1);
    const host = `hooks.example:${canaries[0]?.port}`;
    expect(dialled).toEqual(['1.1.1.1', '1.0.0.1'].map((hostname) => expect.objectContaining({ hostname, host })));
    // The name now resolves to another address: it is checked again and refused.
    await expect(call(agent, 'hooks.example', canaries[0]?.port ?? 0)).rejects.toThrow(TargetRefusedError);
  });

  it('are refused when the socket turns out to be connected elsewhere', async () => {
    const receiver = await startReceiver();
    let closed = false;
    const dial: buildConnector.connector = (_target, callback) => {
      const socket = connect(receiver.port, '127.0.0.1', () => callback(null, socket as never));
      socket.once('close', () => {
        closed = true;
      });
    };
    const agent = agentWith({ ...strict, resolve: async () => ['1.1.1.1'], dial });
    await expect(call(agent, 'hooks.example', receiver.port)).rejects.toThrow(TargetRefusedError);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(closed).toBe(true);
    expect(receiver.received).toHaveLength(0);
    await receiver.close();
  });
});
