export { openPool } from './open-pool.js';
