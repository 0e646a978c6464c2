import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canDo, lacks, processorCodes } from '../../shared/processors/capabilities.js';
import { capabilitiesOf } from '../../shared/processors/capabilities-of.js';
import { createProcessors } from '../../shared/processors/registry.js';
import type { Database } from '../../shared/store/database.js';
import { fakeProcessor } from '../workers/processor/fake-processor.js';
import { keepingLog } from './keeping-log.js';

/** A database that is never queried. */
const noDatabase = { collection: () => ({}) } as unknown as Database;
const config = { processorTimeoutMs: 1_000, sandboxProcessorUrl: 'http://127.0.0.1:9' };

describe('the registry of processors', () => {
  it('makes every configured processor, under its code', async () => {
    const processors = createProcessors(config, keepingLog(), noDatabase);
    expect(processors.codes).toEqual(['sandbox', 'sandbox-forgetful', 'sandbox-lagging']);
    for (const code of processors.codes) expect(processors.get(code)).toMatchObject({ code });
    await processors.close();
  });

  it('has no test processor without its address, and no processor under an unknown code', async () => {
    const processors = createProcessors({ ...config, sandboxProcessorUrl: undefined }, keepingLog(), noDatabase);
    expect(processors.codes).toEqual([]);
    for (const code of ['sandbox', 'toString', '__proto__']) expect(processors.get(code)).toBeUndefined();
    await processors.close();
  });
});

describe('iso8583', () => {
  const own = { iso8583Host: 'acquirer.example', iso8583Port: 5000, iso8583Terminal: 'T1', iso8583AcquirerId: '1' };

  it('is made if its settings are present', async () => {
    const processors = createProcessors({ ...config, ...own }, keepingLog(), noDatabase);
    expect(processors.codes).toContain('iso8583');
    await processors.close();
  });

  it.each([
    [{ iso8583Profile: '1986' }, /ISO8583_PROFILE: there is no profile "1986"/],
    [{ iso8583Profile: '/nowhere/acme.json' }, /ISO8583_PROFILE: .*ENOENT/],
    [{ iso8583TlsCaFile: '/nowhere/ca.pem' }, /ISO8583_TLS_CA_FILE: .*ENOENT/],
    [{ iso8583TlsCaFile: 'package.json' }, /ISO8583_TLS_CA_FILE: package.json holds no certificate in PEM/],
    [
      { iso8583TlsCertificateFile: 'package.json', iso8583TlsKeyFile: 'package.json' },
      /ISO8583_TLS_CERTIFICATE_FILE with ISO8583_TLS_KEY_FILE cannot be used: no start line/,
    ],
  ])('stops the start with a reason for %j', (wrong, sentence) => {
    expect(() => createProcessors({ ...config, ...own, ...wrong }, keepingLog(), noDatabase)).toThrow(sentence);
  });

  describe('with a profile in which its own numbers have another form', () => {
    const folder = mkdtempSync(join(tmpdir(), 'iso8583-'));
    const iso8583Profile = join(folder, 'acme.json');
    const fields = { 32: 'n6', 41: 'n8', 42: 'n15' };
    const fitting = {
      iso8583AcquirerId: '400100',
      iso8583Terminal: '00000001',
      iso8583MerchantId: '000000000000001',
      iso8583Profile,
    };
    const open = (more: object) =>
      createProcessors({ ...config, ...own, ...fitting, ...more }, keepingLog(), noDatabase);

    beforeAll(() => writeFileSync(iso8583Profile, JSON.stringify({ name: 'acme', extends: '1987-bcd', fields })));
    afterAll(() => rmSync(folder, { recursive: true }));

    it.each([
      [{ iso8583AcquirerId: '4001005' }, 'ISO8583_ACQUIRER_ID: field 32 of the profile acme has length 7, not 6'],
      [{ iso8583Terminal: 'TERM0001' }, 'ISO8583_TERMINAL: field 41 of the profile acme has a character that n'],
      [{ iso8583MerchantId: '1' }, 'ISO8583_MERCHANT_ID: field 42 of the profile acme has a character that n'],
    ])('does not start with %j', (wrong, sentence) => {
      expect(() => open(wrong)).toThrow(sentence);
    });

    it('starts with numbers that fit', async () => {
      await open({}).close();
    });
  });
});

describe('capabilities', () => {
  it('are the traits and the methods of an adapter', () => {
    const { cancel: _cancel, ...without } = fakeProcessor({}, { tombstones: true });
    expect(capabilitiesOf(without)).toEqual({
      dedupes: false,
      tombstones: true,
      refundNeedsPan: false,
      operations: ['authorize', 'inquire', 'reverse', 'capture', 'refund'],
    });
  });

  it('tell what a processor can do and what it lacks; for an unknown processor neither is known', () => {
    expect(processorCodes).toContain('sandbox');
    expect({ can: canDo('sandbox', 'issueCode'), lacks: lacks('sandbox', 'issueCode') }).toEqual({
      can: true,
      lacks: false,
    });
    expect({ can: canDo('sandbox', 'verify'), lacks: lacks('sandbox', 'verify') }).toEqual({ can: false, lacks: true });
    for (const code of ['gone', 'toString'])
      expect({ can: canDo(code, 'refund'), lacks: lacks(code, 'refund') }).toEqual({ can: false, lacks: false });
  });
});
