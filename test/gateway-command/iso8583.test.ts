/** `gateway iso8583 decode` for people on the phone with an acquirer: it needs no setting and no database, and shows no card number. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes, run } from '../../scripts/gateway/run.js';
import { encodeMessage } from '../../shared/processors/iso8583/codec/encode-message.js';
import { builtInProfile } from '../../shared/processors/iso8583/profile/read-profile.js';

const PAN = '4242424242424242';
const ECHO = '08008220000000000000040000000000000011222230590000070301';

async function decode(...args: string[]) {
  const said = { out: '', err: '' };
  const terminal = {
    env: {},
    out: (text: string) => {
      said.out += text;
    },
    err: (text: string) => {
      said.err += text;
    },
  };
  const code = await run(['iso8583', 'decode', ...args], terminal);
  return { code, ...said };
}

const hexOf = (fields: Record<number, string>) =>
  encodeMessage({ mti: '0210', fields }, builtInProfile('1987-ascii')).toString('hex');

describe('gateway iso8583 decode', () => {
  it('shows a message with the names of its fields, with and without its length header', async () => {
    const { code, out } = await decode(ECHO, '--profile', '1987-bcd');
    expect(code).toBe(exitCodes.done);
    expect(out.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      'FIELD | NAME | FORMAT | VALUE',
      'MTI | Network management request (1987) | n4 | 0800',
      '7 | Transmission date and time | n10 | 1122223059',
      '11 | System trace audit number | n6 | 000007',
      '70 | Network management information | n3 | 301',
    ]);
    const framed = await decode(`001c${ECHO}`.replace(/(..)/g, '$1 '), '--profile=1987-bcd');
    expect(framed).toEqual({ code, out, err: '' });
  });

  it('masks card data, in a table and as JSON', async () => {
    const hex = hexOf({ 2: PAN, 35: `${PAN}=3412`, 39: '05', 48: '92003123' });
    const table = await decode(hex);
    expect(table.out).toContain('424242******4242');
    const json = await decode(hex, '--json');
    expect(JSON.parse(json.out)).toContainEqual({
      field: 48,
      name: 'Additional data, private',
      format: 'ans...999',
      value: '(8 characters)',
    });
    expect(table.out + json.out).not.toMatch(/4242424242424242|92003123/);
  });

  it('names the position of an error in a message, and shows nothing of the message', async () => {
    const hex = hexOf({ 2: PAN, 39: '05' });
    const { code, out, err } = await decode(hex.slice(0, -2));
    expect({ code, out }).toEqual({ code: exitCodes.refused, out: '' });
    expect(err).toContain('This is no message of the profile: field 39 at byte 38: needs 2 bytes, 1 are left.');
    expect(err).not.toContain('4242');
  });

  it('reads a profile from a file, and says what is wrong with it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'iso8583-'));
    const file = join(folder, 'acme.json');
    const write = (profile: object) => writeFileSync(file, JSON.stringify(profile));
    write({ name: 'acme', extends: '1987-bcd', fields: { 70: { format: 'n3', name: 'Acme network code' } } });
    expect((await decode(ECHO, '--profile', file)).out).toContain('Acme network code');
    write({ name: 'acme', extends: '1986' });
    const { code, err } = await decode(ECHO, '--profile', file);
    expect(code).toBe(exitCodes.usage);
    expect(err).toContain(`${file}: "extends" is one of 1987-ascii`);
    rmSync(folder, { recursive: true });
    expect((await decode(ECHO, '--profile', file)).err).toContain('ENOENT');
  });

  it.each([
    [['xyz'], /<hex> is hexadecimal digits/],
    [['0'], /<hex> is hexadecimal digits/],
    [[ECHO, '--profile', '2003'], /there is no profile "2003": 1987-ascii/],
  ])('refuses the arguments %j', async (args, message) => {
    const { code, err } = await decode(...args);
    expect(code).toBe(exitCodes.usage);
    expect(err).toMatch(message);
  });
});
