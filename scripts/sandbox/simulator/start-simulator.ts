/** Starts the test processor: an HTTP server that acts as an acquirer, with its own books in an append-only file. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limits } from '../../../config/limits.js';
import { type Clock, systemClock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { openAccounts } from './accounts.js';
import { isAdmitted } from './admit-caller.js';
import { createBank } from './bank.js';
import { createCodes } from './codes.js';
import { createInbox } from './inbox.js';
import { createIssuer } from './issuer.js';
import { openLedgerFile } from './ledger-file.js';
import { route } from './routes.js';
import { sendEmpty500, sendJson } from './send-answer.js';
import { createSwitches } from './switches.js';

export interface SimulatorOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly host?: string;
  readonly ledgerFile: string;
  /** Divides every wait. */
  readonly timeScale?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

export interface Simulator {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Ends open connections and closes the books. */
  close(): Promise<void>;
}

/**
 * Resolves when the server listens and the books are read from the ledger file.
 * @throws when the port is taken or the file cannot be opened
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { port, host = '127.0.0.1', timeScale = 1, clock = systemClock, log } = options;
  const ledger = await openLedgerFile(options.ledgerFile);
  const accounts = await openAccounts(ledger, clock, timeScale);
  const issuer = createIssuer();
  const bank = createBank(accounts, issuer.contradicts);
  const codes = createCodes(accounts);
  const switches = createSwitches();
  const deps = { bank, codes, inbox: createInbox(clock), issuer, ledger, switches, scaled: accounts.scaled };

  const server = createServer((request, response) => {
    if (!isAdmitted(request, host))
      return sendJson(response, 403, { error: 'not from this machine: see docs/security.md#sandbox' });
    route(deps, request, response).catch((error: unknown) => {
      // A client that disconnected in the middle is not our failure.
      if (response.destroyed) return;
      log?.error('the test processor could not answer', { error });
      if (response.headersSent) response.destroy();
      else sendEmpty500(response);
    });
  });
  // Longer than the client keeps idle connections: the side that sends requests has to be the side that closes.
  server.keepAliveTimeout = limits.processorKeepAliveMs * 2;
  server.headersTimeout = limits.headersTimeoutMs;

  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve);
    });
  } catch (error) {
    codes.close();
    accounts.close();
    await ledger.close();
    throw error;
  }
  const bound = (server.address() as AddressInfo).port;
  log?.info('the test processor listens', { port: bound });

  return {
    port: bound,
    url: `http://${host}:${bound}`,
    async close() {
      codes.close();
      accounts.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await ledger.close();
    },
  };
}
