export { createQrPool } from './qr-pool.js';
