/**
 * Keeps V8 from optimizing WebAssembly. Each module that imports undici, which parses HTTP with WebAssembly, imports this file for
 * its effect. V8 compiles WebAssembly quickly at first and optimizes it once it runs often. That takes 40 MB for a moment, and
 * answers of a few hundred bytes gain nothing from it (docs/performance.md).
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');
