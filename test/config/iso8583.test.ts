import { ConfigError, loadConfigOf } from '../../config/index.js';
import { soundSettings } from './spawn-entry.js';

const whole = {
  ISO8583_HOST: 'acquirer.example',
  ISO8583_PORT: '5000',
  ISO8583_TERMINAL: 'TERM0001',
  ISO8583_ACQUIRER_ID: '400100',
};

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfigOf(['processor'], { ...soundSettings(), ...env });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('the settings of the processor iso8583', () => {
  it('are all set, or none', () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf(whole)).toEqual([]);
    const { ISO8583_PORT: _port, ISO8583_ACQUIRER_ID: _id, ...half } = whole;
    expect(problemsOf(half)).toEqual([
      'ISO8583_PORT, ISO8583_ACQUIRER_ID must be set too: ISO8583_HOST, ISO8583_TERMINAL alone is not enough for the processor iso8583. Set all, or none to leave it out',
    ]);
  });

  it.each([
    [{ ISO8583_TERMINAL: 'TERMINAL1' }, 'ISO8583_TERMINAL must be 1 to 8 printable characters'],
    [{ ISO8583_ACQUIRER_ID: 'acme' }, 'ISO8583_ACQUIRER_ID must be 1 to 11 digits'],
    [{ ISO8583_MERCHANT_ID: '1234567890123456' }, 'ISO8583_MERCHANT_ID must be 1 to 15 printable characters'],
    [{ ISO8583_MERCHANT_CATEGORY: '99' }, 'ISO8583_MERCHANT_CATEGORY must be 4 digits'],
    [
      { ISO8583_TIME_ZONE: 'Montevideo' },
      'ISO8583_TIME_ZONE must be the name of a time zone, for example America/Montevideo',
    ],
    [{ ISO8583_TLS_KEY_FILE: 'key.pem' }, 'ISO8583_TLS_CERTIFICATE_FILE and ISO8583_TLS_KEY_FILE go together'],
    [{ ISO8583_PORT: '0' }, 'ISO8583_PORT must be an integer from 1 to 65535'],
  ])('stop the start with %j', (wrong, sentence) => {
    expect(problemsOf({ ...whole, ...wrong })).toContain(sentence);
  });
});
