/** A peer that answers each request twice, and the second time only after the next request of the connection. */
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** @param answerTo returns the answer about a key */
export async function startLatePeer(answerTo: (key: string) => object) {
  const perConnection: number[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const index = perConnection.push(0) - 1;
    sockets.push(socket);
    let text = '';
    let repeated = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk;
      const key = /"key":"([^"]+)".*\}$/.exec(text)?.[1];
      if (key === undefined) return;
      text = '';
      perConnection[index] = (perConnection[index] ?? 0) + 1;
      const body = JSON.stringify(answerTo(key));
      const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      socket.write(repeated + answer);
      repeated = answer;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Returns how many requests each connection has brought. */
    requests: () => [...perConnection],
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
