/** From here on Node reads TypeScript, also where one asks for `./x.js`. `node --import ./scripts/setup/typescript.mjs x.ts` */
import { register } from 'node:module';
import { register as readTypeScript } from 'tsx/esm/api';

readTypeScript();
// What is registered last is asked first.
register('./names-as-written.mjs', import.meta.url);
