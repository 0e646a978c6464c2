import { createReferenceGuard } from '../../api/limits/reference-guard.js';
import { limits } from '../../config/limits.js';
import type { Log, LogFields } from '../../shared/log.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { createReferenceProbeRepository } from '../../shared/store/reference-probe.repository.js';
import { testMongoUri } from '../support/services.js';

let database: Database;
beforeAll(async () => {
  database = await openDatabase(testMongoUri('references'));
});
afterAll(async () => {
  await database.connection.dropDatabase();
  await database.close();
});

function guard() {
  const events: string[] = [];
  const lines: [string, LogFields | undefined][] = [];
  const log = { warn: (message: string, fields?: LogFields) => lines.push([message, fields]) } as unknown as Log;
  const metrics = { event: (name: string) => events.push(name) };
  const probes = createReferenceProbeRepository(database);
  return { events, lines, ...createReferenceGuard({ probes, log, metrics }) };
}

test('after five different bodies under one reference, no body is called the same any more', async () => {
  const { isSame, events, lines } = guard();
  const ask = (digest: string, reference = 'payment:a') => isSame('cli_1', reference, 'own', digest);
  expect(await ask('own')).toBe(true);
  for (let n = 1; n < limits.differingBodiesMax; n += 1) {
    expect(await ask(`other-${n}`)).toBe(false);
    // Repeating a body reveals nothing new, and is not counted again.
    expect(await ask(`other-${n}`)).toBe(false);
    expect(await ask('own')).toBe(true);
  }
  expect([events, lines]).toEqual([[], []]);
  expect(await ask('other-5')).toBe(false);
  expect(await ask('own')).toBe(false);
  expect(await ask('other-6')).toBe(false);
  expect(await ask('own')).toBe(false);
  expect(events).toEqual(['reference-probed']);
  expect(lines).toEqual([['reference.probed', expect.objectContaining({ clientId: 'cli_1', count: 5 })]]);
  expect(JSON.stringify(lines)).not.toContain('payment:a');
  // Other references are not affected, nor is the reference of the same name of another client.
  expect(await ask('own', 'payment:b')).toBe(true);
  expect(await isSame('cli_2', 'payment:a', 'own', 'own')).toBe(true);
});

test('many different bodies at the same time are counted once each', async () => {
  const { isSame, events } = guard();
  const digests = Array.from({ length: 20 }, (_, n) => `other-${n}`);
  await Promise.all(digests.map((digest) => isSame('cli_1', 'payment:many', 'own', digest)));
  expect(await isSame('cli_1', 'payment:many', 'own', 'own')).toBe(false);
  expect(events).toEqual(['reference-probed']);
});
