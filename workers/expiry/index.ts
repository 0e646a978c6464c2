export { createExpiryPool } from './expiry-pool.js';
export { settleSessions } from './settle-sessions.handler.js';
