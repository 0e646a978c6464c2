/** A process gets only the settings that it reads, and secrets can be in files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, forgetSecrets, loadConfigOf, loadSettings } from '../../config/index.js';
import { processorSettings } from '../../config/processor-settings.js';
import { type ProcessName, processNames, readers, settingsOf } from '../../config/readers.js';
import { type Setting, type SettingName, settings } from '../../config/schema.js';
import { startLimits } from '../../config/start-limits.js';
import { updateSettings } from '../../config/update-settings.js';
import { soundSettings } from './spawn-entry.js';

const all = Object.entries(settings) as [SettingName, Setting][];
const secrets = all.filter(([, { secret }]) => secret).map(([name]) => name);
const secretsOf = (name: ProcessName) => settingsOf([name]).filter((setting) => secrets.includes(setting));

const folder = mkdtempSync(join(tmpdir(), 'gateway-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function problemsOf(names: readonly ProcessName[], env: Record<string, string>): readonly string[] {
  try {
    loadConfigOf(names, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test('each process has exactly these secrets: a change here needs a decision', () => {
  const stores = ['mongodbUri', 'operatorPassword', 'redisUrl'];
  const replying = [...stores, 'replyKey'];
  // Only the pools that call processors have their credentials.
  const ofProcessors = Object.keys(processorSettings) as SettingName[];
  for (const name of ofProcessors) expect([name, readers[name]]).toEqual([name, ['processor', 'qr']]);
  // The API checks signatures with these. No process that calls a processor has them, and the API has no key to call a processor.
  const ofUpdates = Object.keys(updateSettings) as SettingName[];
  for (const name of ofUpdates) expect([name, readers[name]]).toEqual([name, ['web']]);
  const others = (name: ProcessName) =>
    secretsOf(name).filter((setting) => ![...ofProcessors, ...ofUpdates].includes(setting));
  const holding = Object.fromEntries(processNames.map((name) => [name, others(name).sort()]));
  expect(holding).toEqual({
    web: ['accessTokenKey', 'apiKeyPepper', 'digestKey', 'fingerprintKey', ...replying, 'vaultMasterKeys'],
    wallet: [...stores, 'vaultMasterKeys'],
    threeds: ['emv3dsApiKey', ...replying, 'vaultMasterKeys'],
    processor: [...replying, 'vaultMasterKeys'],
    qr: replying,
    expiry: stores,
    callback: ['callbackProxyUrl', ...stores],
  });
});

test.each(processNames)('%s requires the settings that it reads, and gets no others', (name) => {
  const sound = soundSettings();
  const own = settingsOf([name]);
  const given = loadConfigOf([name], sound);
  expect(Object.keys(given).filter((setting) => !own.includes(setting as never))).toEqual([]);
  const required = own.filter((setting) => (settings[setting] as Setting).required);
  const missing = problemsOf([name], {}).map((problem) => problem.split(' ')[0]);
  expect(missing.sort()).toEqual(required.map((setting) => settings[setting].env).sort());
  // Settings that the process does not read may be wrong.
  const foreign = all.filter(([setting]) => !(own as readonly string[]).includes(setting));
  const spoilt = Object.fromEntries(
    foreign.flatMap(([, { env }]) => [
      [env, 'spoilt'],
      [`${env}_FILE`, '/nowhere'],
    ]),
  );
  expect(problemsOf([name], { ...sound, ...spoilt })).toEqual([]);
});

test('several pools in one process get the settings of all of them', () => {
  expect(settingsOf(['callback', 'processor']).sort()).toEqual(
    [...new Set([...settingsOf(['callback']), ...settingsOf(['processor'])])].sort(),
  );
  expect(Object.keys(readers).sort()).toEqual(Object.keys(settings).sort());
});

describe('a secret in a file', () => {
  const { DIGEST_KEY: key = '', ...sound } = soundSettings();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const web = (env: Record<string, string>) => problemsOf(['web'], { ...sound, ...env });

  test('is read like its variable, without white space around it', () => {
    const path = file('digest', `  ${key}\r\n\n`);
    expect(loadConfigOf(['web'], { ...sound, DIGEST_KEY_FILE: path }).digestKey).toEqual(Buffer.from(key, 'base64'));
    // An empty variable counts as absent, whether the secret itself or its file.
    expect(web({ DIGEST_KEY: '', DIGEST_KEY_FILE: path })).toEqual([]);
    expect(web({ DIGEST_KEY: key, DIGEST_KEY_FILE: '' })).toEqual([]);
    expect(loadSettings(['digestKey'], { DIGEST_KEY_FILE: path }).digestKey).toHaveLength(32);
  });

  test('is refused beside its variable, and when the file or its content is wrong', () => {
    mkdirSync(join(folder, 'a-folder'));
    const cases: [Record<string, string>, string][] = [
      [
        { DIGEST_KEY: key, DIGEST_KEY_FILE: file('both', key) },
        'DIGEST_KEY and DIGEST_KEY_FILE are both set: keep one of them',
      ],
      [
        { DIGEST_KEY_FILE: join(folder, 'none') },
        'DIGEST_KEY_FILE names a file that cannot be read: there is no such file',
      ],
      [
        { DIGEST_KEY_FILE: join(folder, 'a-folder') },
        'DIGEST_KEY_FILE names a file that cannot be read: it is a folder',
      ],
      [{ DIGEST_KEY_FILE: file('empty', ' \n') }, 'DIGEST_KEY_FILE names an empty file'],
      [
        { DIGEST_KEY_FILE: file('large', 'x'.repeat(startLimits.secretFileBytesMax + 1)) },
        `DIGEST_KEY_FILE names a file of more than ${startLimits.secretFileBytesMax} bytes`,
      ],
      [{ DIGEST_KEY_FILE: file('short', 'c2hvcnQ=') }, 'DIGEST_KEY must be base64 of at least 32 bytes'],
    ];
    for (const [env, problem] of cases) expect(web(env)).toEqual([problem]);
  });

  test('is not repeated in the error when it was set in place of the path', () => {
    const problems = web({ DIGEST_KEY_FILE: 'hunter2-digest-key' });
    expect(problems).toEqual([expect.stringMatching(/^DIGEST_KEY_FILE .*no such file/)]);
    expect(problems.join()).not.toContain('hunter2');
  });

  test('has a variable name that no other setting has', () => {
    const names = new Set<string>(all.map(([, { env }]) => env));
    expect(secrets.map((name) => `${settings[name].env}_FILE`).filter((name) => names.has(name))).toEqual([]);
  });
});

test('secrets are removed from the environment of the process, also those of other processes', () => {
  const env: NodeJS.ProcessEnv = { ...soundSettings(), CALLBACK_PROXY_URL: 'http://proxy:3128' };
  forgetSecrets(env);
  expect(Object.keys(env).sort()).toEqual(['GATEWAY_ENVIRONMENT', 'LOG_LEVEL', 'OPERATOR_PORT', 'PORT']);
});
