/** Problems in the settings of `iso8583` as a whole, each as a sentence that names the setting. */
import type { Config } from './config.js';
import { formProblems } from './form-problems.js';
import { iso8583Settings } from './iso8583-settings.js';

type Iso8583Config = Partial<Pick<Config, keyof typeof iso8583Settings>>;

/** These belong together: no message can be sent without all of them. */
const together = ['iso8583Host', 'iso8583Port', 'iso8583Terminal', 'iso8583AcquirerId'] as const;

const forms = {
  iso8583Terminal: [/^[\x21-\x7e]{1,8}$/, 'must be 1 to 8 printable characters'],
  iso8583AcquirerId: [/^\d{1,11}$/, 'must be 1 to 11 digits'],
  iso8583MerchantId: [/^[\x20-\x7e]{1,15}$/, 'must be 1 to 15 printable characters'],
  iso8583MerchantCategory: [/^\d{4}$/, 'must be 4 digits'],
} as const;

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }) !== undefined;
  } catch {
    return false;
  }
}

/** @param config settings that the process does not read, or that are unusable, are absent */
export function iso8583Problems(config: Iso8583Config): string[] {
  const given = together.filter((name) => config[name] !== undefined);
  const missing = together.filter((name) => config[name] === undefined);
  const problems: string[] = [];
  if (given.length > 0 && missing.length > 0) {
    const names = (list: readonly (typeof together)[number][]) =>
      list.map((name) => iso8583Settings[name].env).join(', ');
    problems.push(
      `${names(missing)} must be set too: ${names(given)} alone is not enough for the processor iso8583. Set all, or none to leave it out`,
    );
  }
  problems.push(...formProblems(config, iso8583Settings, forms));
  if (config.iso8583TimeZone !== undefined && !isTimeZone(config.iso8583TimeZone)) {
    problems.push('ISO8583_TIME_ZONE must be the name of a time zone, for example America/Montevideo');
  }
  if ((config.iso8583TlsCertificateFile === undefined) !== (config.iso8583TlsKeyFile === undefined)) {
    problems.push('ISO8583_TLS_CERTIFICATE_FILE and ISO8583_TLS_KEY_FILE go together');
  }
  return problems;
}
