/** From here on Node reads TypeScript, also where one asks for `./x.js`. `node --import ./scripts/setup/typescript.mjs x.ts` */
import * as nodeModule from 'node:module';
import { register as resolveTypeScript } from 'tsx/esm/api';
import { load } from './read-typescript.mjs';

resolveTypeScript();
// What is registered last is asked first, and hooks of the thread itself before those of the loader's thread. Node 20 has only the latter,
// and tsx takes the former where they are there.
const { registerHooks } = /** @type {{ registerHooks?: (hooks: { load: typeof load }) => void }} */ (nodeModule);
if (registerHooks) registerHooks({ load });
else nodeModule.register('./read-typescript.mjs', import.meta.url);
