#!/usr/bin/env node
// `npm run mock:threeds`: runs the mock 3D Secure server, which authenticates payers, until Ctrl-C.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { root } from './setup/paths.mjs';
import { explain, Problem } from './setup/problem.mjs';

const DEFAULT_PORT = 9290;

try {
  const port = Number(process.env.MOCK_PORT || DEFAULT_PORT);
  const apiKey = process.env.EMV3DS_API_KEY || randomUUID();
  const { MOCK_TLS_CERT: certFile, MOCK_TLS_KEY: keyFile } = process.env;
  const tls = certFile && keyFile && { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  const { startThreeDsServer } = await import('./sandbox/threeds-server/start-threeds-server.js');
  const { url } = await startThreeDsServer({ port, apiKey, ...(tls && { tls }) }).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Problem(`Port ${port} is taken: MOCK_PORT=9291 npm run mock:threeds`);
  });
  const settings = {
    EMV3DS_URL: url,
    EMV3DS_API_KEY: apiKey,
    EMV3DS_REQUESTOR_URL: 'https://localhost',
    ...(tls && { EMV3DS_TLS_CA_FILE: certFile }),
  };
  const line = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  console.log(`The mock 3D Secure server answers at ${url}. Ctrl-C ends it. In another terminal:\n`);
  console.log(`  ${line.join(' ')} npm start\n`);
} catch (error) {
  console.error(explain(error, root));
  process.exitCode = 1;
}
