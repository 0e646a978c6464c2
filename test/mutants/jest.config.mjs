/** One project for mutants: the suites without servers, as far as `npm run mutants` names their folders. */
import { resolve } from 'node:path';
import { common } from '../../jest.config.mjs';
import { suitesOf } from '../../scripts/setup/suites.mjs';

const root = resolve(import.meta.dirname, '../..');
const folders = (process.env.MUTANT_SUITES ?? 'test').split(',');
const { unit } = suitesOf(root, { long: [] });
const chosen = unit.filter(
  (path) =>
    !path.startsWith('test/guards/') && folders.some((folder) => path === folder || path.startsWith(`${folder}/`)),
);

export default { ...common, rootDir: root, testMatch: chosen.map((path) => `<rootDir>/${path}`), bail: 1, cache: true };
