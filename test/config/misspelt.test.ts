/** A variable that resembles a setting is reported with that setting; variables of platforms and of other programs are not. */
import { ConfigError, loadConfigOf, loadSettings } from '../../config/index.js';
import { misspeltSettings } from '../../config/misspelt.js';
import { type Setting, settings } from '../../config/schema.js';
import { simulatorSettings } from '../../config/simulator.js';
import { soundSettings } from './spawn-entry.js';

const problemsFor = (...names: string[]) => misspeltSettings(Object.fromEntries(names.map((name) => [name, 'x'])));

test.each([
  ['WORKER_CONCURENCY', 'WORKER_CONCURRENCY'],
  ['WORKERS_CONCURENCY', 'WORKER_CONCURRENCY'],
  ['CALLBACK_PROXI_URI', 'CALLBACK_PROXY_URL'],
  ['LOG_LEVLE', 'LOG_LEVEL'],
  ['TIMESCALE', 'TIME_SCALE'],
  ['REDIS_URI', 'REDIS_URL'],
  ['DIGEST_KEY_FIEL', 'DIGEST_KEY_FILE'],
  ['PAN_IN_REFERENCES', 'PAN_IN_REFERENCE'],
  ['public_base_url', 'PUBLIC_BASE_URL'],
])('%s: is %s meant?', (name, setting) => {
  expect(problemsFor(name)).toEqual([`${name} is not a setting; is ${setting} meant?`]);
});

test('a file for a setting that is no secret is reported: it is not read', () => {
  const said = (name: string) =>
    `${name}_FILE is not a setting, and only secrets are read from files; is ${name} meant?`;
  expect(problemsFor('OPERATOR_USER_FILE')).toEqual([said('OPERATOR_USER')]);
  expect(problemsFor('TRUSTED_PROXIES_FILE')).toEqual([said('TRUSTED_PROXIES')]);
  expect(misspeltSettings({ OPERATOR_USER_FILE: 'x', OPERATOR_USER: 'operator' })).toEqual([]);
});

test('a name that a file with a byte order mark gave is reported without the invisible mark', () => {
  const said = (name: string) =>
    `${name} is not read: its file begins with a byte order mark, which became a part of its name`;
  expect(problemsFor('\uFEFFPORT')).toEqual([said('PORT')]);
  expect(problemsFor('\uFEFFDIGEST_KEY_FILE')).toEqual([said('DIGEST_KEY_FILE')]);
  expect(problemsFor('\uFEFFEDITOR')).toEqual([]);
  expect(misspeltSettings({ '\uFEFFMONGODB_URI': 'x', MONGODB_URI: 'mongodb://db' })).toEqual([]);
});

test('no setting, secret file or setting of the test processor is reported as misspelt', () => {
  for (const { env, secret } of Object.values<Setting>(settings)) {
    expect(problemsFor(env)).toEqual([]);
    if (secret) expect(problemsFor(`${env}_FILE`)).toEqual([]);
  }
  for (const { env } of Object.values(simulatorSettings)) expect(problemsFor(env)).toEqual([]);
});

test('variables of platforms, shells and Node are ignored', () => {
  const theirs =
    'PORTS HOSTS PORT0 HOME PATH USER SHELL LANG TERM DYNO HOSTNAME NODE_ENV NODE_OPTIONS npm_config_loglevel npm_lifecycle_event ' +
    'DATABASE_URL ADMIN_URL REDIS_TLS_URL REDIS_HOST REDIS_PORT REDIS_PASSWORD MONGO_URL MONGOLAB_URI STRIPE_API_KEY LOG_FORMAT ' +
    'KUBERNETES_SERVICE_HOST REDIS_SERVICE_PORT HTTPS_PROXY https_proxy NO_PROXY TZ SSL_CERT_FILE OPERATOR_NAME';
  expect(problemsFor(...theirs.split(' '))).toEqual([]);
});

test('a name that resembles a setting is ignored if that setting is set, or if the variable is empty', () => {
  expect(misspeltSettings({ REDIS_URI: 'x', REDIS_URL: 'redis://redis' })).toEqual([]);
  expect(misspeltSettings({ REDIS_URI: 'x', REDIS_URL_FILE: '/run/secrets/redis_url' })).toEqual([]);
  expect(misspeltSettings({ REDIS_URI: 'x', REDIS_URL: '' })).toHaveLength(1);
  expect(misspeltSettings({ REDIS_URI: '' })).toEqual([]);
});

test('the error of a refused start names a misspelt variable too, without its value', () => {
  const { DIGEST_KEY = '', ...env } = soundSettings();
  const problemsOf = (load: (env: NodeJS.ProcessEnv) => unknown) => {
    try {
      return load({ ...env, DIGEST_KYE: DIGEST_KEY });
    } catch (error) {
      return (error as ConfigError).problems;
    }
  };
  const problems = [
    expect.stringMatching(/^DIGEST_KEY is missing/),
    'DIGEST_KYE is not a setting; is DIGEST_KEY meant?',
  ];
  expect(problemsOf((given) => loadConfigOf(['web'], given))).toEqual(problems);
  expect(problemsOf((given) => loadSettings(['digestKey'], given))).toEqual(problems);
  expect(new ConfigError(problemsOf((given) => loadConfigOf(['web'], given)) as string[]).message).not.toContain(
    DIGEST_KEY,
  );
});
