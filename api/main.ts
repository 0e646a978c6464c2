/** Entry point of the API process: configuration, connections, listening; on SIGTERM it answers the calls in flight and ends. */
import { forgetSecrets, loadConfigOf, type WebConfig } from '../config/index.js';
import { limits } from '../config/limits.js';
import { misspeltSettings } from '../config/misspelt.js';
import { version } from '../config/version.js';
import { pause } from '../shared/clock.js';
import { endWith, exitOnCrash, stopOnSignals } from '../shared/lifecycle.js';
import { listenNear } from '../shared/listen.js';
import { createLog, type Log } from '../shared/log.js';
import { loadRoots } from '../shared/wallets/load-trust.js';
import { createApp } from './app.js';
import { connectApi } from './connect.js';
import { createServer, drain, listen } from './http/server.js';
import { createOperatorApp } from './operator-app.js';

/** Starts the process. Returns how to stop it gracefully, and the ports on which it listens. */
async function start(config: WebConfig, log: Log) {
  const shutdown = new AbortController();
  const { deps, readiness, close } = await connectApi(config, log, shutdown.signal);
  const server = createServer(createApp(deps), config.responseWaitMs);
  const operatorServer = createServer(createOperatorApp(deps, config));
  const port = await listen(server, config.port, config.host);
  const operatorPort = await listenNear(operatorServer, config.operatorPort, config.operatorHost);
  log.info('api.listening', { port, host: config.host, release: version });
  log.info('operator.listening', { port: operatorPort, host: config.operatorHost });

  async function stop(): Promise<void> {
    readiness.drain();
    // A load balancer learns from /readyz that this process stops; until then, what it sends is answered.
    await pause(config.drainDelayMs);
    const answerNow = setTimeout(() => shutdown.abort(), limits.drainAnswerMs);
    await drain(server, limits.drainIdleMs);
    clearTimeout(answerNow);
    shutdown.abort();
    operatorServer.closeAllConnections();
    operatorServer.close();
    await close();
  }
  return { stop, port, operatorPort };
}

async function main(): Promise<void> {
  const config = loadConfigOf(['web']);
  const misspelt = misspeltSettings();
  forgetSecrets();
  // Only the wallet pool opens tokens. Still, the API does not start in production with test roots, under which anyone can sign.
  loadRoots(config);
  const log = createLog('api', config.logLevel);
  exitOnCrash(log);
  for (const reason of misspelt) log.warn('setting.misspelt', { reason });
  const { stop, port, operatorPort } = await start(config, log);
  stopOnSignals(stop, log, limits.shutdownMs + config.drainDelayMs);
  // Only now: as soon as a supervisor knows that the process is ready, it may stop it.
  process.send?.({ ready: true, port, operatorPort });
}

main().catch(endWith);
