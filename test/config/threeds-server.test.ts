/** The settings of the 3DS provider emv3ds, and the providers of production. */
import { ConfigError, loadConfigOf } from '../../config/index.js';
import type { ProcessName } from '../../config/readers.js';
import { isProviderOf } from '../../shared/threeds-providers/codes.js';
import { createThreeDsProviders } from '../../shared/threeds-providers/registry.js';
import { soundSettings } from './spawn-entry.js';

const whole = {
  EMV3DS_URL: 'https://service.example',
  EMV3DS_API_KEY: 'b1946ac9-2d1f-4c8e-9d53-0c7fa1a9b4f1',
  EMV3DS_REQUESTOR_URL: 'https://gateway.example/contact',
};

function problemsOf(env: Record<string, string>, name: ProcessName = 'threeds'): readonly string[] {
  try {
    loadConfigOf([name], { ...soundSettings(), ...env });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test('the settings are all set, or none; the API needs only the address', () => {
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf(whole)).toEqual([]);
  expect(problemsOf({ EMV3DS_URL: whole.EMV3DS_URL }, 'web')).toEqual([]);
  expect(problemsOf({ EMV3DS_URL: whole.EMV3DS_URL })).toEqual([
    'EMV3DS_API_KEY, EMV3DS_REQUESTOR_URL must be set too for the 3DS provider emv3ds. Set all, or none to leave it out',
  ]);
});

test.each([
  [{ EMV3DS_API_KEY: 'two words' }, 'EMV3DS_API_KEY must be printable characters without spaces'],
  [{ EMV3DS_API_KEY_HEADER: 'API Key' }, 'EMV3DS_API_KEY_HEADER must be the name of an HTTP header'],
  [{ EMV3DS_REQUESTOR_ID: 'x'.repeat(36) }, 'EMV3DS_REQUESTOR_ID must be 1 to 35 printable characters'],
  [{ EMV3DS_REQUESTOR_NAME: 'Ñandú' }, 'EMV3DS_REQUESTOR_NAME must be 1 to 40 printable characters'],
  [{ EMV3DS_TLS_CA_FILE: '/no/such/file.pem' }, 'EMV3DS_TLS_CA_FILE names a file that is not there or cannot be read'],
  [{ EMV3DS_TLS_CA_FILE: 'package.json' }, 'EMV3DS_TLS_CA_FILE names a file that holds no certificate in PEM'],
])('the start fails with %j', (wrong, sentence) => {
  expect(problemsOf({ ...whole, ...wrong })).toContain(sentence);
});

test('production requires https, has the provider if it is configured, and never has the test provider', () => {
  const production = { GATEWAY_ENVIRONMENT: 'production', ...whole };
  expect(problemsOf({ ...production, EMV3DS_URL: 'http://service.example' })).toContain(
    'EMV3DS_URL must be https in production',
  );
  const installation = {
    environment: 'production',
    emv3dsUrl: whole.EMV3DS_URL,
    sandboxProcessorUrl: 'http://x',
  } as const;
  expect(['sandbox', 'emv3ds', 'other', 'toString'].filter((code) => isProviderOf(installation, code))).toEqual([
    'emv3ds',
  ]);
  expect(isProviderOf({ environment: 'production' }, 'emv3ds')).toBe(false);
});

test('the pool has the adapter only if all settings are set', async () => {
  const env = { ...soundSettings(), ...whole };
  const providers = createThreeDsProviders(loadConfigOf(['threeds'], env));
  expect(providers.get('emv3ds')?.code).toBe('emv3ds');
  await providers.close();
  const none = createThreeDsProviders(loadConfigOf(['threeds'], soundSettings()));
  expect(none.get('emv3ds')).toBeUndefined();
  await none.close();
});
