import { createApp } from '../../api/app.js';
import { connectApi } from '../../api/connect.js';
import type { ApiDeps } from '../../api/deps.js';
import { createServer, listen } from '../../api/http/server.js';
import type { Config } from '../../config/index.js';
import { createLog } from '../../shared/log.js';

export interface SecondApi {
  readonly baseUrl: string;
  readonly deps: ApiDeps;
  close(): Promise<void>;
}

/** One more API on the same MongoDB and Redis, with connections, caches and counts of its own as another process has them. */
export async function startSecondApi({ config }: { readonly config: Config }): Promise<SecondApi> {
  const shutdown = new AbortController();
  const api = await connectApi(config, createLog('test', config.logLevel), shutdown.signal, false);
  const server = createServer(createApp(api.deps), config.responseWaitMs);
  const port = await listen(server, 0, '127.0.0.1');
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    deps: api.deps,
    close: async () => {
      shutdown.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await api.close();
    },
  };
}
