/** One configuration for all suites; `scripts/test.mjs` brings up MongoDB and Redis and passes their addresses by environment. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  resolver: '<rootDir>/test/support/jest-resolver.cjs',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.local'],
  workerIdleMemoryLimit: '700MB',
  // Outcomes are waited for, however slow the machine is; this only ends what hangs.
  testTimeout: 300_000,
};
