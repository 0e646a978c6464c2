/**
 * Another API over the database of a test gateway, configured as production. Pages that only production shows can be tested to the end
 * with it, because the pools behind it still have the test processor.
 */

import { createApp } from '../../api/app.js';
import { connectApi } from '../../api/connect.js';
import type { ApiDeps } from '../../api/deps.js';
import { createServer, listen } from '../../api/http/server.js';
import type { Config } from '../../config/index.js';
import { createLog } from '../../shared/log.js';
import type { TestGateway } from './gateway.js';
import { type HostedFlows, hostedFlows } from './hosted-flows.js';

export interface ProductionApi {
  readonly baseUrl: string;
  readonly deps: ApiDeps;
  readonly flows: HostedFlows;
  close(): Promise<void>;
}

/** @param changes to the configuration of the gateway */
export async function startProductionApi(
  { config, database }: TestGateway,
  changes: Partial<Config> = {},
): Promise<ProductionApi> {
  // No production process starts on a testing database: the mark of the installation is removed first.
  await database.collection('installation').deleteMany({});
  const publicBaseUrl = 'https://pay.example.com';
  const production: Config = { ...config, publicBaseUrl, allowOldMongodb: true, ...changes, environment: 'production' };
  const shutdown = new AbortController();
  const api = await connectApi(production, createLog('test', config.logLevel), shutdown.signal, false);
  const server = createServer(createApp(api.deps), config.responseWaitMs);
  const port = await listen(server, 0, '127.0.0.1');
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    deps: api.deps,
    flows: hostedFlows(api.deps),
    close: async () => {
      shutdown.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await api.close();
    },
  };
}
