/**
 * Reads a body up to a bound (docs/security.md#size-of-a-body). A longer body is refused as soon as that is known: by its announced
 * length before a byte of it is read, otherwise at the bound. The rest is never read (see `leave-unread.ts`).
 */
import type { Request, RequestHandler, Response } from 'express';
import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { beginReading } from './leave-unread.js';

const incomplete = () => invalidField('body', 'is incomplete');

const announcedBytes = (request: Request) => Number(request.headers['content-length'] ?? 0);

/** Whether a body follows the headers of a request. */
export const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || announcedBytes(request) > 0;

/** @throws {GatewayError} when the body is longer than `bytesMax`, or the caller stops sending before its end. */
function readUpTo(bytesMax: number, request: Request, response: Response): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = () => {
      request.off('data', take).off('end', finish).off('close', giveUp).off('error', giveUp);
      request.pause();
    };
    const finish = () => {
      stop();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    };
    const giveUp = () => {
      stop();
      reject(incomplete());
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) return void chunks.push(chunk);
      stop();
      reject(new GatewayError('payload-too-large'));
    };
    // A closed connection sends nothing more.
    if (request.destroyed) return reject(incomplete());
    request.on('data', take).on('end', finish).on('close', giveUp).on('error', giveUp);
    beginReading(request, response);
  });
}

/** Puts the bytes of the body on `request.body`, which stays undefined without a body. */
export function readBytes(bytesMax: number): RequestHandler {
  return async (request, response, next) => {
    if (announcedBytes(request) > bytesMax) throw new GatewayError('payload-too-large');
    if (hasBody(request)) request.body = await readUpTo(bytesMax, request, response);
    next();
  };
}
