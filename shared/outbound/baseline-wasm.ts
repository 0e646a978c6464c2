/**
 * Imported for its effect by each module that imports undici, which parses HTTP with WebAssembly. V8 compiles it quickly at first
 * and optimizes it once it is used often. That takes 40 MB for a moment, and answers of a few hundred bytes gain nothing from it
 * (docs/performance.md).
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');
