/**
 * Two projects: `unit` needs no server (scripts/setup/suites.mjs says which suites those are), `integration` does. `scripts/test.mjs`
 * runs both; it brings up MongoDB and Redis and passes their addresses by environment.
 */
import { root } from './scripts/setup/paths.mjs';
import { suitesOf } from './scripts/setup/suites.mjs';

export const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  resolver: '<rootDir>/test/support/jest-resolver.cjs',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.local'],
};

export default {
  workerIdleMemoryLimit: '700MB',
  // Outcomes are waited for, however slow the machine is; this only ends what hangs. Jest takes no such limit from a project.
  testTimeout: 300_000,
  projects: Object.entries(suitesOf(root)).map(([displayName, suites]) => ({
    ...common,
    displayName,
    testMatch: suites.map((path) => `<rootDir>/${path}`),
  })),
};
