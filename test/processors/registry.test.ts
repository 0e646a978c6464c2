import { canDo, lacks, processorCodes } from '../../shared/processors/capabilities.js';
import { capabilitiesOf } from '../../shared/processors/capabilities-of.js';
import { createProcessors } from '../../shared/processors/registry.js';
import { fakeProcessor } from '../workers/processor/fake-processor.js';
import { keepingLog } from './keeping-log.js';

const config = { processorTimeoutMs: 1_000, sandboxProcessorUrl: 'http://127.0.0.1:9' };

describe('the registry of processors', () => {
  it('makes every processor that it is configured for, under its code', async () => {
    const processors = createProcessors(config, keepingLog());
    expect(processors.codes).toEqual(['sandbox', 'sandbox-forgetful', 'sandbox-lagging']);
    for (const code of processors.codes) expect(processors.get(code)).toMatchObject({ code });
    await processors.close();
  });

  it('has no test processor without its address, and nothing under other names', async () => {
    const processors = createProcessors({ ...config, sandboxProcessorUrl: undefined }, keepingLog());
    expect(processors.codes).toEqual([]);
    for (const code of ['sandbox', 'toString', '__proto__']) expect(processors.get(code)).toBeUndefined();
    await processors.close();
  });
});

describe('capabilities', () => {
  it('are the traits of an adapter and the methods that it has', () => {
    const { cancel: _cancel, ...without } = fakeProcessor({}, { tombstones: true });
    expect(capabilitiesOf(without)).toEqual({
      dedupes: false,
      tombstones: true,
      refundNeedsPan: false,
      operations: ['authorize', 'inquire', 'reverse', 'capture', 'refund'],
    });
  });

  it('say what a processor can do and what it cannot; of an unknown one neither', () => {
    expect(processorCodes).toContain('sandbox');
    expect([canDo('sandbox', 'issueCode'), lacks('sandbox', 'issueCode')]).toEqual([true, false]);
    expect([canDo('sandbox', 'verify'), lacks('sandbox', 'verify')]).toEqual([false, true]);
    for (const code of ['gone', 'toString'])
      expect([canDo(code, 'refund'), lacks(code, 'refund')]).toEqual([false, false]);
  });
});
