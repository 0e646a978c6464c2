export { createTrustRefresh } from './refresh-trust.js';
export { createTokenThread } from './token-thread.js';
export { createWalletPool } from './wallet-pool.js';
