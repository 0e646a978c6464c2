export { createExpiryPool } from './expiry-pool.js';
