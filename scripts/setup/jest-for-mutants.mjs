/** Configures jest for `npm run mutants`: one project, the suites of the named folders, without servers unless the run started them. */
import { common } from '../../jest.config.mjs';
import { root } from './paths.mjs';
import { suitesOf } from './suites.mjs';

const folders = (process.env.MUTANT_SUITES ?? 'test').split(',');
const { unit, integration } = suitesOf(root, { long: [] });
const suites = process.env.MUTANT_SERVERS ? [...unit, ...integration] : unit;
const chosen = suites.filter(
  (path) =>
    !path.startsWith('test/guards/') && folders.some((folder) => path === folder || path.startsWith(`${folder}/`)),
);

// Mutants that are tested at the same time need separate databases.
process.env.TEST_RUN_ID = `${process.env.TEST_RUN_ID ?? 'mutants'}_${process.env.STRYKER_MUTATOR_WORKER ?? ''}`;

/** Each suite runs in a separate environment, unlike in `npm test`: a mutant must not find what another one left. */
export default {
  ...common,
  rootDir: root,
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  testMatch: chosen.map((path) => `<rootDir>/${path}`),
  testTimeout: 300_000,
  bail: 1,
  cache: true,
};
