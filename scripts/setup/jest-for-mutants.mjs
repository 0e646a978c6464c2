/** The jest of `npm run mutants`: one project, the suites without servers, as far as it names their folders. */
import { common } from '../../jest.config.mjs';
import { root } from './paths.mjs';
import { suitesOf } from './suites.mjs';

const folders = (process.env.MUTANT_SUITES ?? 'test').split(',');
const { unit } = suitesOf(root, { long: [] });
const chosen = unit.filter(
  (path) =>
    !path.startsWith('test/guards/') && folders.some((folder) => path === folder || path.startsWith(`${folder}/`)),
);

/** Each suite in a world of its own, unlike those of `npm test`: a mutant must not find what another left. */
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
