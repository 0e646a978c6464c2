/** The environment of the processes that `npm start` starts. Every name is in config/schema.ts or belongs to the test processor. */
import { join } from 'node:path';
import { Problem } from './problem.mjs';

const DEFAULT_PORT = 8080;
export const DEFAULT_HOST = '127.0.0.1';

/**
 * Reads where the API will listen.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ host: string, port: number }}
 * @throws {Problem} when PORT is not a port, HOST is reachable from other machines, or the environment asks for production
 */
export function readAddress(env) {
  const text = env.PORT || String(DEFAULT_PORT);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65535) throw new Problem('PORT must be a number from 1 to 65535.');
  if (env.GATEWAY_ENVIRONMENT === 'production') {
    throw new Problem(
      '`npm start` runs a sandbox: for production start the processes of the Procfile (docs/production.md).',
    );
  }
  const host = env.HOST || DEFAULT_HOST;
  if (!/^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host)) {
    throw new Problem(
      `HOST=${host} would show the sandbox's keys to other machines: \`npm start\` listens on this one only (127.0.0.1, ::1 or localhost).`,
    );
  }
  return { host, port };
}

/**
 * @param {object} given
 * @param {NodeJS.ProcessEnv} given.env variables that the person set; they override every default here
 * @param {Record<string, string>} given.secrets
 * @param {{ host: string, port: number, operatorPort: number, processorPort: number }} given.address
 * @param {{ mongodbUri: string, redisUrl: string }} given.servers
 * @param {string} given.data folder of the test processor's ledger
 * @returns {NodeJS.ProcessEnv}
 */
export function gatewayEnvironment({ env, secrets, address, servers, data }) {
  const visibleHost = address.host.includes(':') ? `[${address.host}]` : address.host;
  return {
    ...secrets,
    CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
    PUBLIC_BASE_URL: `http://${visibleHost}:${address.port}`,
    SIMULATOR_LEDGER_FILE: join(data, 'ledger.jsonl'),
    ...withoutEmpty(env),
    GATEWAY_ENVIRONMENT: 'testing',
    HOST: address.host,
    PORT: String(address.port),
    OPERATOR_PORT: String(address.operatorPort),
    // The sandbox has no load balancer in front.
    DRAIN_DELAY_MS: '0',
    MONGODB_URI: servers.mongodbUri,
    REDIS_URL: servers.redisUrl,
    SIMULATOR_PORT: String(address.processorPort),
    SANDBOX_PROCESSOR_URL: `http://${DEFAULT_HOST}:${address.processorPort}`,
  };
}

/** An empty variable counts as not set. @param {NodeJS.ProcessEnv} env @returns {NodeJS.ProcessEnv} */
const withoutEmpty = (env) => Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));

/** A setting of `.env.example`, with or without a default. */
const SETTING = /^(?:# )?([A-Z][A-Z0-9_]*)=/gm;

/**
 * Returns the settings that the person gave, because `./gateway --sandbox` uses them too. Other variables of the shell are left out.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} example content of `.env.example`, which names all settings
 * @returns {NodeJS.ProcessEnv}
 */
export function givenSettings(env, example) {
  const names = new Set([...example.matchAll(SETTING)].flatMap(([, name]) => [name, `${name}_FILE`]));
  return Object.fromEntries(Object.entries(withoutEmpty(env)).filter(([name]) => names.has(name)));
}
