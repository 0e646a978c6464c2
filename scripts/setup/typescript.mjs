/** Makes Node read TypeScript, also for an import of `./x.js`: `node --import ./scripts/setup/typescript.mjs x.ts` */
import * as nodeModule from 'node:module';
import { register as resolveTypeScript } from 'tsx/esm/api';
import { load } from './read-typescript.mjs';

resolveTypeScript();
// Hooks that are registered last run first, and hooks of the thread itself run before those of the loader's thread. Node 20 has only the
// latter. tsx uses the former where they exist.
const { registerHooks } = /** @type {{ registerHooks?: (hooks: { load: typeof load }) => void }} */ (nodeModule);
if (registerHooks) registerHooks({ load });
else nodeModule.register('./read-typescript.mjs', import.meta.url);
