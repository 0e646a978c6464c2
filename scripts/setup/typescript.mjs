/** From here on Node reads TypeScript, also where one asks for `./x.js`. `node --import ./scripts/setup/typescript.mjs x.ts` */
import { register } from 'node:module';
import { register as resolveTypeScript } from 'tsx/esm/api';

resolveTypeScript();
// What is registered last is asked first.
register('./read-typescript.mjs', import.meta.url);
