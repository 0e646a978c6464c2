export { createProcessorPool } from './processor-pool.js';
