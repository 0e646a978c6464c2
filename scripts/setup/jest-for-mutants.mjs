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

export default { ...common, rootDir: root, testMatch: chosen.map((path) => `<rootDir>/${path}`), bail: 1, cache: true };
