/** Reads one file out of a `multipart/form-data` body, into memory and within bounds (docs/security.md#uploaded-pictures). */
import type { Request, RequestHandler, Response } from 'express';
import type { MulterError } from 'multer';
import { limits } from '../../config/limits.js';
import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import type { Upload, UploadedFile } from './define-endpoint.js';
import { beginReading } from './leave-unread.js';

const MULTIPART = /^multipart\/form-data[ \t]*;/i;
const BOUNDARY = /;[ \t]*boundary[ \t]*=[ \t]*(?:"([^"]*)"|([^";, \t]*))/i;

const tooLarge = ({ part, bytesMax }: Upload) =>
  new GatewayError('payload-too-large', { message: `The part ${part} is larger than ${bytesMax} bytes.` });

/** The file and the multipart framing around it. */
const bodyBytesMax = ({ bytesMax }: Upload) => bytesMax + limits.uploadFrameBytesMax;

/** Refuses what the headers alone show to be wrong. @throws {GatewayError} */
function checkHeaders(request: Request, upload: Upload): void {
  const type = request.headers['content-type'] ?? '';
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (!MULTIPART.test(type) || encoding.toLowerCase() !== 'identity') {
    throw new GatewayError('unsupported-media-type', {
      message: `Send the file uncompressed as the part ${upload.part} of multipart/form-data.`,
    });
  }
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain ?? '';
  if (boundary === '' || boundary.length > limits.multipartBoundaryLengthMax) {
    const most = limits.multipartBoundaryLengthMax;
    throw invalidField('body', `must have a boundary of 1 to ${most} characters in its Content-Type`);
  }
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax(upload)) throw tooLarge(upload);
}

/** Translates the parser's error by its code. Any other error means that the body is not valid multipart. */
function toError(error: unknown, upload: Upload): GatewayError {
  const { part } = upload;
  const code = (error as Error | null)?.name === 'MulterError' ? (error as MulterError).code : undefined;
  if (code === 'LIMIT_FILE_SIZE') return tooLarge(upload);
  if (code === 'LIMIT_FILE_COUNT') return invalidField(part, 'must be given once');
  if (code !== undefined) return invalidField('body', `must have the part ${part} and no other`);
  return invalidField('body', 'must be complete multipart/form-data');
}

/** Loads the parser with the first file: most processes never read one. */
async function makeParser({ part, bytesMax }: Upload): Promise<RequestHandler> {
  const { default: multer } = await import('multer');
  const parser = multer({
    storage: multer.memoryStorage(),
    limits: {
      fileSize: bytesMax,
      files: 1,
      fields: 0,
      parts: 1,
      fieldNameSize: 64,
      headerPairs: limits.uploadHeadersMax,
    },
  });
  return parser.single(part);
}

/** Reads the file, or rejects with the reason why there is none. Settles only once, even if several things go wrong. */
function receive(parse: RequestHandler, upload: Upload, request: Request, response: Response): Promise<UploadedFile> {
  let timer: NodeJS.Timeout;
  const received = new Promise<UploadedFile>((resolve, reject) => {
    timer = setTimeout(() => {
      // The rest is not read, so the connection cannot be used again.
      response.setHeader('Connection', 'close');
      reject(invalidField(upload.part, `must arrive within ${limits.uploadMs / 1000} seconds`));
    }, limits.uploadMs);
    // The parser reads a part that it refuses to its end before it reports it.
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bodyBytesMax(upload)) reject(tooLarge(upload));
    });
    beginReading(request, response);
    parse(request, response, (error?: unknown) => {
      if (error) reject(toError(error, upload));
      else if (!request.file) reject(invalidField(upload.part, 'is required, as a file with a name'));
      else resolve({ bytes: request.file.buffer });
    });
  });
  return received.finally(() => clearTimeout(timer));
}

/** Puts the file on `request.body` as an {@link UploadedFile}. */
export function readUpload(upload: Upload): RequestHandler {
  let parser: Promise<RequestHandler> | undefined;
  let underWay = 0;
  return async (request, response, next) => {
    checkHeaders(request, upload);
    if (underWay >= limits.uploadsAtOnceMax) {
      throw new GatewayError('service-unavailable', { retryAfterSeconds: limits.retryAfterSeconds });
    }
    underWay += 1;
    try {
      parser ??= makeParser(upload);
      request.body = await receive(await parser, upload, request, response);
    } finally {
      underWay -= 1;
    }
    next();
  };
}
