export { type CallbackPool, type CallbackPoolDeps, createCallbackPool } from './callback-pool.js';
