/** The ways in which an answer of the test processor leaves it, or does not. */
import type { ServerResponse } from 'node:http';
import { CONNECTION_REFUSED, SIMULATED_HEADER } from '../../../shared/processors/sandbox/wire.js';

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** A fault of the acquirer: no body that could say what happened. */
export function sendEmpty500(response: ServerResponse): void {
  response.writeHead(500, { 'content-length': 0 });
  response.end();
}

/** Represents a refused connection; only the sandbox adapter reads it so. */
export function sendConnectionRefused(response: ServerResponse): void {
  response.writeHead(503, { [SIMULATED_HEADER]: CONNECTION_REFUSED, 'content-length': 0 });
  response.end();
}

/** The same answer twice on the wire, in one packet: the second one belongs to no request. */
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
