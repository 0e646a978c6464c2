import type { Clock } from '../../../clock.js';
import type { Log } from '../../../log.js';
import type { IsoExchangeRepository } from '../../../store/iso8583-exchange.repository.js';
import type { IsoStans } from '../../../store/iso8583-stan.repository.js';
import type { Lines } from '../line/lines.js';
import type { IsoDialect } from './settings.js';

/** Dependencies and settings that the operations of the adapter share. */
export interface IsoContext {
  readonly dialect: IsoDialect;
  readonly lines: Lines;
  readonly journal: IsoExchangeRepository;
  readonly stans: IsoStans;
  /** Deadline from the request to its answer, including the wait for a connection (ms). */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
}
