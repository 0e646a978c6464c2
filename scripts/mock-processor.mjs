#!/usr/bin/env node
// `npm run mock:processor acme`: runs the mock of a processor that `npm run new:processor acme` made, until Ctrl-C.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namesOf } from './new-processor/processor-names.mjs';
import { root } from './setup/paths.mjs';
import { explain, Problem } from './setup/problem.mjs';

const DEFAULT_PORT = 9280;

try {
  const { code, CONSTANT } = namesOf(process.argv[2]);
  const path = join(root, `test/processors/${code}/${code}-server.ts`);
  if (!existsSync(path)) throw new Problem(`There is no mock of ${code}: npm run new:processor ${code} makes one.`);
  const port = Number(process.env.MOCK_PORT || DEFAULT_PORT);
  const apiKey = process.env[`${CONSTANT}_API_KEY`] || randomBytes(16).toString('hex');
  /** @type {{ startServer(apiKey: string, port: number): Promise<{ url: string }> }} */
  const { startServer } = await import(path);
  const { url } = await startServer(apiKey, port).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Problem(`Port ${port} is taken: MOCK_PORT=9281 npm run mock:processor ${code}`);
  });
  console.log(`${code} answers at ${url}, its books are at ${url}/books. Ctrl-C ends it. In another terminal:\n`);
  console.log(`  ${CONSTANT}_URL=${url} ${CONSTANT}_API_KEY=${apiKey} npm start\n`);
} catch (error) {
  console.error(explain(error, root));
  process.exitCode = 1;
}
