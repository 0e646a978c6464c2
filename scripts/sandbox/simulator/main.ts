/** Process entry of the test processor: settings -> books -> listen -> close on SIGTERM. */
import { loadSimulatorConfig } from '../../../config/simulator.js';
import { createLog } from '../../../shared/log.js';
import { startSimulator } from './start-simulator.js';

const config = loadSimulatorConfig();
const log = createLog('simulator', config.logLevel);

const simulator = await startSimulator({ ...config, log }).catch((error: unknown) => {
  log.error('test-processor.not-started', { error, port: config.port });
  process.exit(1);
});
process.send?.({ ready: true, port: simulator.port });

let closing = false;
async function close(): Promise<void> {
  // A second signal ends the process at once.
  if (closing) process.exit(1);
  closing = true;
  await simulator.close();
  process.exit(0);
}
process.on('SIGTERM', () => void close());
process.on('SIGINT', () => void close());
