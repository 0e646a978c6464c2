import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { mock } from 'node:test';
import { limits } from '../../config/limits.js';
import { createHttpExchange, type HttpExchange } from '../../shared/processors/http-exchange.js';
import { closedAddress, type Peer, startPeer } from '../conformance/http-peers.js';
import { makeCertificate } from '../support/make-certificate.js';
import { suspendedMachine } from '../support/passing-time.js';
import { PATIENCE_MS, until } from '../support/patience.js';
import { startTlsFront } from '../support/tls-front.js';

/** Deadline of calls that have to pass it (ms). */
const TIMEOUT_MS = 200;
const ended: (() => Promise<void>)[] = [];

function connect(baseUrl: string, timeoutMs = PATIENCE_MS, ca?: string): HttpExchange {
  const http = createHttpExchange({ baseUrl, timeoutMs, ca });
  ended.push(() => http.close());
  return http;
}

async function peerThat(listener: Parameters<typeof startPeer>[0]): Promise<Peer> {
  const peer = await startPeer(listener);
  ended.push(() => peer.close());
  return peer;
}

afterEach(async () => {
  mock.timers.reset();
  for (const end of ended.splice(0)) await end();
});

describe('an HTTP exchange', () => {
  it('posts JSON under the path of its address and reads JSON', async () => {
    const peer = await peerThat((request, response) => {
      response.writeHead(201, { 'x-answer': `${request.method} ${request.url} ${request.headers['content-type']}` });
      request.pipe(response);
    });
    const http = connect(`${peer.url}/prefix/`);
    expect(await http.exchange({ method: 'POST', path: '/a?b=1', body: { c: 1 } })).toMatchObject({
      kind: 'answered',
      status: 201,
      json: { c: 1 },
      headers: { 'x-answer': 'POST /prefix/a?b=1 application/json' },
    });
    expect(await http.exchange({ method: 'GET', path: '/' })).toMatchObject({ kind: 'answered', json: undefined });
  });

  it('reads JSON that begins with a byte order mark', async () => {
    const peer = await peerThat((_request, response) => response.end('\uFEFF{"c":1}'));
    expect(await connect(peer.url).exchange({ method: 'GET', path: '/' })).toMatchObject({ json: { c: 1 } });
  });

  it('stops reading at the bound, long before the deadline', async () => {
    const peer = await peerThat((_request, response) => response.end(`"${'x'.repeat(5_000)}"`));
    const http = connect(peer.url);
    expect(await http.exchange({ method: 'GET', path: '/', bytesMax: 5_001 })).toEqual({
      kind: 'unknown',
      internal: 'TooLarge',
    });
    expect(await http.exchange({ method: 'GET', path: '/', bytesMax: 5_002 })).toMatchObject({ kind: 'answered' });
  });

  it('has one deadline for the whole answer: an answer that drips does not extend it', async () => {
    const peer = await peerThat((_request, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const exchange = await connect(peer.url, TIMEOUT_MS).exchange({ method: 'GET', path: '/' });
    expect(exchange).toEqual({ kind: 'unknown', internal: `no answer within ${TIMEOUT_MS} ms` });
  });

  it('distinguishes "never connected" from "connection lost"', async () => {
    const closed = connect(closedAddress);
    expect(await closed.exchange({ method: 'POST', path: '/', body: {} })).toMatchObject({
      kind: 'not-sent',
      internal: expect.stringContaining('ECONNREFUSED'),
    });
    const nameless = connect('http://no-such-host.invalid');
    expect(await nameless.exchange({ method: 'GET', path: '/' })).toMatchObject({ kind: 'not-sent' });
    const peer = await peerThat((request) => request.socket.destroy());
    expect(await connect(peer.url).exchange({ method: 'POST', path: '/', body: {} })).toMatchObject({
      kind: 'unknown',
    });
  });

  it('calls a failed TLS handshake "never connected"', async () => {
    const arrived: string[] = [];
    const peer = await peerThat((request, response) => {
      arrived.push(request.url ?? '');
      if (request.url === '/cut') request.socket.destroy();
      else response.end('{}');
    });
    const [own, other] = await Promise.all([makeCertificate('localhost'), makeCertificate('elsewhere')]);
    const [front, misnamed] = await Promise.all([startTlsFront(own), startTlsFront(other)]);
    ended.push(front.close, misnamed.close);
    for (const one of [front, misnamed]) one.leadTo(Number(new URL(peer.url).port));
    const cutting = createServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve));
    ended.push(() => new Promise((resolve) => cutting.close(() => resolve())));

    const at = (port: number, ca?: string) => connect(`https://localhost:${port}`, undefined, ca);
    const post = (http: HttpExchange, path = '/') => http.exchange({ method: 'POST', path, body: {} });
    const untrusted = at(front.port);
    const plain = at(Number(new URL(peer.url).port));
    const cut = at((cutting.address() as { port: number }).port);
    for (const http of [untrusted, at(misnamed.port, other.cert), plain, cut]) {
      expect(await post(http)).toEqual({ kind: 'not-sent', internal: expect.stringMatching(/^no connection: \w/) });
    }
    // The connection pool still works afterwards.
    expect(await Promise.all([post(untrusted), post(untrusted)])).toMatchObject([
      { kind: 'not-sent' },
      { kind: 'not-sent' },
    ]);
    expect(arrived).toEqual([]);
    // A request that was written over TLS and has no answer is unknown, as without TLS.
    const trusted = at(front.port, own.cert);
    expect(await post(trusted)).toMatchObject({ kind: 'answered' });
    expect(await post(trusted, '/cut')).toMatchObject({ kind: 'unknown' });
  });

  it('writes nothing after its deadline, even if the process was stopped and the timer did not run', async () => {
    const arrived: string[] = [];
    const peer = await peerThat((request, response) => {
      arrived.push(request.url ?? '');
      response.end();
    });
    const http = connect(peer.url);
    expect(await http.exchange({ method: 'POST', path: '/warm' })).toMatchObject({ kind: 'answered' });
    // Right after file I/O, an exchange writes on an open connection before any timer runs.
    await stat('.');
    const late = http.exchange({ method: 'POST', path: '/late', timeoutMs: TIMEOUT_MS });
    const until = performance.now() + TIMEOUT_MS + 1;
    while (performance.now() < until);
    expect(await late).toEqual({ kind: 'not-sent', internal: `no connection within ${TIMEOUT_MS} ms` });
    expect(await http.exchange({ method: 'POST', path: '/next' })).toMatchObject({ kind: 'answered' });
    expect(arrived).toEqual(['/warm', '/next']);
  });

  it('writes nothing after its deadline when the machine was suspended, which stops its monotonic clock', async () => {
    const arrived: string[] = [];
    const peer = await peerThat((request, response) => {
      arrived.push(request.url ?? '');
      response.end();
    });
    const http = connect(peer.url);
    const machine = suspendedMachine();
    try {
      const late = http.exchange({ method: 'POST', path: '/late', timeoutMs: TIMEOUT_MS });
      machine.by(TIMEOUT_MS);
      expect(await late).toEqual({ kind: 'not-sent', internal: `no connection within ${TIMEOUT_MS} ms` });
    } finally {
      machine.giveBack();
    }
    expect(await http.exchange({ method: 'POST', path: '/next' })).toMatchObject({ kind: 'answered' });
    expect(arrived).toEqual(['/next']);
  });

  it('distinguishes a call that never got a connection from one that was written and not answered', async () => {
    // Only the deadlines are mocked: they expire when the test says so, for all calls at once.
    mock.timers.enable({ apis: ['setTimeout'] });
    const arrived: string[] = [];
    const peer = await peerThat((request, response) => {
      arrived.push(request.url ?? '');
      if (request.url === '/after') response.end('{}');
    });
    const http = connect(peer.url);
    const call = (path: string) => http.exchange({ method: 'POST', path, body: {} });
    const held = Array.from({ length: limits.processorConnectionsMax }, (_, n) => call(`/held-${n}`));
    const waiting = call('/waiting');
    while (arrived.length < held.length) await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(PATIENCE_MS);
    expect(await waiting).toEqual({ kind: 'not-sent', internal: `no connection within ${PATIENCE_MS} ms` });
    const lost = { kind: 'unknown', internal: `no answer within ${PATIENCE_MS} ms` };
    expect(await Promise.all(held)).toEqual(held.map(() => lost));
    // The turn of the waiting call comes before that of a later one: it is dropped then, not written after all.
    expect(await call('/after')).toMatchObject({ kind: 'answered' });
    expect(arrived).not.toContain('/waiting');
  });

  it('never quotes the answer that it read', async () => {
    const peer = await peerThat((_request, response) => response.end('4242424242424242 is not JSON'));
    const exchange = await connect(peer.url).exchange({ method: 'GET', path: '/' });
    expect(exchange).toEqual({ kind: 'unknown', internal: 'an answer that is no JSON, status 200' });
  });

  it('ends running calls when it is closed', async () => {
    let arrived = false;
    const peer = await peerThat(() => {
      arrived = true;
    });
    const http = connect(peer.url);
    const running = http.exchange({ method: 'GET', path: '/' });
    await until(() => arrived);
    await http.close();
    expect(await running).toMatchObject({ kind: 'unknown' });
  });
});
