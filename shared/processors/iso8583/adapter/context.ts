import type { Clock } from '../../../clock.js';
import type { Log } from '../../../log.js';
import type { IsoExchangeRepository } from '../../../store/iso8583-exchange.repository.js';
import type { IsoStans } from '../../../store/iso8583-stan.repository.js';
import type { Lines } from '../line/lines.js';
import type { IsoDialect } from './settings.js';

/** What the operations of the adapter work with. */
export interface IsoContext {
  readonly dialect: IsoDialect;
  readonly lines: Lines;
  readonly journal: IsoExchangeRepository;
  readonly stans: IsoStans;
  /** From the request to its answer, waiting for a connection included. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
}
