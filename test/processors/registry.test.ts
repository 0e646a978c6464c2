import { processorCapabilities, processorCodes } from '../../shared/processors/capabilities.js';
import { createProcessors } from '../../shared/processors/registry.js';
import { keepingLog } from './sandbox/sandbox-harness.js';

const config = { processorTimeoutMs: 1_000, sandboxProcessorUrl: 'http://127.0.0.1:9' };

describe('the registry of processors', () => {
  it('makes every processor that has capabilities, under its code', async () => {
    const processors = createProcessors(config, keepingLog());
    expect(processors.codes).toEqual(processorCodes);
    for (const code of processorCodes) {
      expect(processors.get(code)).toMatchObject({ code, capabilities: processorCapabilities[code] });
    }
    await processors.close();
  });

  it('has no test processor without its address, and nothing under other names', async () => {
    const processors = createProcessors({ ...config, sandboxProcessorUrl: undefined }, keepingLog());
    expect(processors.codes).toEqual([]);
    for (const code of ['sandbox', 'toString', '__proto__']) expect(processors.get(code)).toBeUndefined();
    await processors.close();
  });
});
