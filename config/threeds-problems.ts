/** Problems in the settings of the 3DS provider `emv3ds` as a whole, each as a sentence that names the setting. */
import { readFileSync } from 'node:fs';
import { authoritiesProblem } from './certificate-files.js';
import type { Config } from './config.js';
import { formProblems } from './form-problems.js';
import { threeDsServerSettings } from './threeds-settings.js';

type ThreeDsServerConfig = Partial<Pick<Config, keyof typeof threeDsServerSettings>>;

const forms = {
  emv3dsApiKey: [/^[\x21-\x7e]+$/, 'must be printable characters without spaces'],
  emv3dsApiKeyHeader: [/^[A-Za-z0-9-]{1,64}$/, 'must be the name of an HTTP header'],
  emv3dsRequestorId: [/^[\x20-\x7e]{1,35}$/, 'must be 1 to 35 printable characters'],
  emv3dsRequestorName: [/^[\x20-\x7e]{1,40}$/, 'must be 1 to 40 printable characters'],
} as const;

/**
 * @param config unusable settings are absent
 * @param calls whether the process calls the server; other processes only know whether there is one
 */
export function threeDsServerProblems(config: ThreeDsServerConfig, calls: boolean): string[] {
  const problems: string[] = [];
  if (calls) {
    const together = ['emv3dsUrl', 'emv3dsApiKey', 'emv3dsRequestorUrl'] as const;
    const missing = together.filter((name) => config[name] === undefined);
    if (missing.length > 0 && missing.length < together.length) {
      const names = missing.map((name) => threeDsServerSettings[name].env).join(', ');
      problems.push(`${names} must be set too for the 3DS provider emv3ds. Set all, or none to leave it out`);
    }
  }
  problems.push(...formProblems(config, threeDsServerSettings, forms));
  const { emv3dsTlsCaFile: file } = config;
  const problem = file === undefined ? undefined : authoritiesFileProblem(file);
  if (problem !== undefined) problems.push(`EMV3DS_TLS_CA_FILE names a file that ${problem}`);
  return problems;
}

function authoritiesFileProblem(path: string): string | undefined {
  try {
    return authoritiesProblem(readFileSync(path, 'latin1'));
  } catch {
    return 'is not there or cannot be read';
  }
}
