/** Faults and a fixed latency that a test has switched on, for all personalities or for one. A personality's own setting wins. */
import type { Personality } from '../../../shared/processors/sandbox/wire.js';
import { createFaults, type FaultSettings, type Faults } from './faults.js';

export type SwitchScope = Personality | 'all';

export interface Switches {
  setFaults(scope: SwitchScope, settings: FaultSettings): void;
  /** `all` also clears those of every personality. */
  clearFaults(scope: SwitchScope): void;
  setSlow(scope: SwitchScope, ms: number): void;
  faultsOf(personality: Personality): Faults | undefined;
  slowMsOf(personality: Personality): number;
}

export function createSwitches(): Switches {
  const faults = new Map<SwitchScope, Faults>();
  const slowMs = new Map<SwitchScope, number>();
  return {
    setFaults: (scope, settings) => void faults.set(scope, createFaults(settings)),
    clearFaults: (scope) => (scope === 'all' ? faults.clear() : void faults.delete(scope)),
    setSlow(scope, ms) {
      if (scope === 'all') slowMs.clear();
      slowMs.set(scope, ms);
    },
    faultsOf: (personality) => faults.get(personality) ?? faults.get('all'),
    slowMsOf: (personality) => slowMs.get(personality) ?? slowMs.get('all') ?? 0,
  };
}
