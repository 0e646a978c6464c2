export { createThreeDsPool } from './threeds-pool.js';
