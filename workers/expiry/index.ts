export { createExpiryPool } from './expiry-pool.js';
export { settleLinks } from './settle-links.handler.js';
export { settleSessions } from './settle-sessions.handler.js';
