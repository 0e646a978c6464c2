/** Downloads over http(s), with a short limit for connecting and none for the size. No dependency: it runs before `npm ci`. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import { Problem } from './problem.mjs';

const CONNECT_MS = 3_000;
const SILENCE_MS = 20_000;
const TEXT_BYTES_MAX = 10_000;

/**
 * @param {string} url
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<http.IncomingMessage>}
 */
function open(url, signal) {
  return new Promise((resolve, reject) => {
    const client = url.startsWith('https:') ? https : http;
    const request = client.get(url, { agent: false, ...(signal && { signal }) });
    const timer = setTimeout(
      () => request.destroy(new Problem(`no connection within ${CONNECT_MS / 1000} s`)),
      CONNECT_MS,
    );
    request.on('socket', (socket) =>
      socket.once(client === https ? 'secureConnect' : 'connect', () => clearTimeout(timer)),
    );
    request.setTimeout(SILENCE_MS, () => request.destroy(new Problem(`nothing arrived for ${SILENCE_MS / 1000} s`)));
    request.on('close', () => clearTimeout(timer));
    request.on('error', reject);
    request.on('response', (response) => {
      if (response.statusCode === 200) return resolve(response);
      response.resume();
      return reject(new Problem(`${url} answered ${response.statusCode}`));
    });
  });
}

/**
 * @param {string} url
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>} a small text
 */
export async function downloadText(url, signal) {
  let text = '';
  for await (const chunk of (await open(url, signal)).setEncoding('utf8')) {
    text += chunk;
    if (text.length > TEXT_BYTES_MAX) throw new Problem(`${url} is longer than expected`);
  }
  return text;
}

/**
 * @param {string} url
 * @param {string} file where it is written
 * @param {string} sha256 hex digest that it must have
 * @param {AbortSignal} [signal]
 */
export async function downloadFile(url, file, sha256, signal) {
  const response = await open(url, signal);
  const hash = createHash('sha256');
  response.on('data', (chunk) => hash.update(chunk));
  await pipeline(response, createWriteStream(file));
  if (hash.digest('hex') !== sha256) throw new Problem(`${url} does not have the expected checksum`);
}
