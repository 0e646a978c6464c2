/**
 * Two projects: `unit` needs no server (scripts/setup/suites.mjs says which suites those are), `integration` does. `scripts/test.mjs`
 * runs both; it brings up MongoDB and Redis and passes their addresses by environment.
 */
import { root } from './scripts/setup/paths.mjs';
import { suitesOf } from './scripts/setup/suites.mjs';

export const common = {
  testEnvironment: 'node',
  resolver: '<rootDir>/test/support/jest-resolver.cjs',
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.local'],
};

/** Node itself loads the modules, once for all suites of a thread. */
const inNode = {
  runner: 'jest-light-runner',
  setupFiles: ['<rootDir>/scripts/setup/test-process.mjs'],
  transform: {},
};

export default {
  testSequencer: '<rootDir>/scripts/setup/suite-sequencer.mjs',
  projects: Object.entries(suitesOf(root)).map(([displayName, suites]) => ({
    ...common,
    ...inNode,
    displayName,
    testMatch: suites.map((path) => `<rootDir>/${path}`),
  })),
};
