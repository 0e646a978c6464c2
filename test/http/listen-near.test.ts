/** The operator ports of many processes on one host. */
import { createServer, type Server } from 'node:http';
import { listenNear } from '../../shared/listen.js';

const HOST = '127.0.0.1';
const servers: Server[] = [];
const open = () => {
  const server = createServer();
  servers.push(server);
  return server;
};
const listenersOf = (server: Server) => [server.listenerCount('listening'), server.listenerCount('error')];
/** What Node itself listens to. */
const own = listenersOf(createServer());
afterAll(() => Promise.all(servers.map((server) => new Promise((closed) => server.close(closed)))));

test('a server that finds ports taken keeps no listener of them', async () => {
  const first = await listenNear(open(), 0, HOST);
  const second = open();
  expect(await listenNear(second, first, HOST)).toBeGreaterThan(first);
  expect(listenersOf(second)).toEqual(own);
});

test('any other reason ends the search', async () => {
  const server = open();
  await expect(listenNear(server, 20_000, '192.0.2.1')).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
  expect(listenersOf(server)).toEqual(own);
});
