/** Ways to send an answer of the test processor, or to send none. */
import type { ServerResponse } from 'node:http';
import { CONNECTION_REFUSED, SIMULATED_HEADER } from '../../../shared/processors/sandbox/wire.js';

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Sends a fault of the acquirer: without a body that could say what happened. */
export function sendEmpty500(response: ServerResponse): void {
  response.writeHead(500, { 'content-length': 0 });
  response.end();
}

/** Represents a refused connection. Only the sandbox adapter reads the answer so. */
export function sendConnectionRefused(response: ServerResponse): void {
  response.writeHead(503, { [SIMULATED_HEADER]: CONNECTION_REFUSED, 'content-length': 0 });
  response.end();
}

/** Sends the same answer twice in one packet: the second one belongs to no request. */
export function sendJsonTwice(response: ServerResponse, body: unknown): void {
  const text = JSON.stringify(body);
  const { socket } = response;
  socket?.cork();
  sendJson(response, 200, body);
  socket?.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  socket?.uncork();
}
