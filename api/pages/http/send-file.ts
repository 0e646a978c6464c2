import type { Request, Response } from 'express';
import { send } from '../../http/send.js';

/** A file of the pages, compressed once for all requests. */
export interface ServedFile {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** The same bytes for browsers that accept Brotli. */
  readonly compressed: Buffer;
}

/** Sends a file, compressed where the browser accepts it. @param cacheControl value of `Cache-Control` */
export function sendFile(
  { headers }: Pick<Request, 'headers'>,
  response: Response,
  file: ServedFile,
  cacheControl: string,
): void {
  const brotli = /\bbr\b/.test(headers['accept-encoding'] ?? '');
  send(response, 200, brotli ? file.compressed : file.bytes, {
    'Content-Type': file.contentType,
    'Cache-Control': cacheControl,
    Vary: 'Accept-Encoding',
    ...(brotli && { 'Content-Encoding': 'br' }),
  });
}
