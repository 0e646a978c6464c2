/** Scripts and bench are plain JavaScript, checked through their JSDoc by `tsc -p tsconfig.scripts.json`; tests import them untyped. */
declare module '*.mjs';
