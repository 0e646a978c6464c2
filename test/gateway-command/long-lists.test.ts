/** Lists of the operator that are longer than what is shown, on a real MongoDB: the command says so, and how to continue. */
import { limits } from '../../config/limits.js';
import { exitCodes } from '../../scripts/gateway/run.js';
import type { AuditRow } from '../../shared/store/audit.model.js';
import type { FindingRow } from '../../shared/store/book-finding.repository.js';
import type { ProcessorUpdateRow } from '../../shared/store/processor-update.model.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
let merchantsOf: string;
beforeAll(async () => {
  operator = await openOperator('long_lists');
  const { clientId } = await operator.json('clients create --name Many');
  const other = await operator.json('clients create --name Other');
  for (const at of [4, 0, 2, 3, 1]) {
    await operator.json(`merchants create --client-id ${clientId} --name Shop --id ${1_000 + 2 * at}`);
    await operator.json(`merchants create --client-id ${other.clientId} --name Shop --id ${1_001 + 2 * at}`);
  }
  merchantsOf = `merchants list --client-id ${clientId}`;
  // Two rows share each moment: their order has to be the same on every page.
  const moment = (at: number) => new Date(Date.UTC(2026, 0, 1) + Math.floor(at / 2));
  const five = [0, 1, 2, 3, 4];
  await operator.database.collection<AuditRow>('audit').insertMany(
    five.map((at) => ({
      ...{ _id: `aud_${at}`, at: moment(at), clientId: 'cli_1', actor: 'key_1', action: 'many', object: `o${at}` },
      ...{ outcome: 'done' as const, link: { chain: 'chn_1', seq: at + 1, previous: '', hash: '' } },
    })),
  );
  await operator.database.collection<FindingRow>('book_findings').insertMany(
    five.map((at) => ({
      ...{ _id: `sandbox:missing:${at}`, processor: 'sandbox', kind: 'missing' as const, key: String(at) },
      ...{ amountMinor: 100, currency: 'USD', foundAt: moment(at), status: 'open' as const },
    })),
  );
  await operator.database.collection<FindingRow>('book_findings').insertOne({
    ...{ _id: 'sandbox:missing:done', processor: 'sandbox', kind: 'missing', key: 'done' },
    ...{ amountMinor: 100, currency: 'USD', foundAt: moment(2), status: 'settled' },
  });
  await operator.database.collection<ProcessorUpdateRow>('processor_updates').insertMany(
    five.map(
      (at) =>
        ({
          ...{ _id: `upd_${at}`, processor: 'sandbox', update: { eventId: `evt_${at}` }, status: 'flagged', tries: 0 },
          ...{ dueAt: moment(at), receivedAt: moment(at) },
        }) as never,
    ),
  );
});
afterAll(() => operator.close());

const newestFirst = ['4', '3', '2', '1', '0'];
const oldestFirst = [...newestFirst].reverse();

test('merchants of one client and of all clients are listed by their numbers, in pages', async () => {
  const page = async (command: string) => {
    const { code, out, err } = await operator.gateway(`${command} --json`);
    expect(code).toBe(exitCodes.done);
    const ids = (JSON.parse(out) as { merchantId: number }[]).map(({ merchantId }) => merchantId);
    return [ids, err === '' ? undefined : JSON.parse(err).after];
  };
  expect(await page(`${merchantsOf} --limit 3`)).toEqual([[1_000, 1_002, 1_004], '1004']);
  expect(await page(`${merchantsOf} --limit 3 --after 1004`)).toEqual([[1_006, 1_008], undefined]);
  expect(await page('merchants list --limit 3 --after 1004')).toEqual([[1_005, 1_006, 1_007], '1007']);
  expect(await page('merchants list --limit 2 --after 1007')).toEqual([[1_008, 1_009], undefined]);
  for (const none of ['nothing', '999']) {
    expect(await operator.gateway(`merchants list --after ${none}`)).toMatchObject({
      code: exitCodes.refused,
      err: `gateway: --after: there is nothing with the id ${none}.\n`,
    });
  }
});

describe.each([
  ['audit list --action many', 'entryId', 'aud_', newestFirst],
  ['updates list', 'updateId', 'upd_', newestFirst],
  ['findings list', 'findingId', 'sandbox:missing:', oldestFirst],
] as const)('%s', (command, idName, prefix, order) => {
  const ids = order.map((at) => `${prefix}${at}`);

  test('a cut list says so on stderr, and a script can read it to its end', async () => {
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const { code, out, err } = await operator.gateway(
        `${command} --limit 2 --json${after === undefined ? '' : ` --after ${after}`}`,
      );
      expect(code).toBe(exitCodes.done);
      seen.push(...(JSON.parse(out) as Record<string, string>[]).map((row) => row[idName] ?? ''));
      after = err === '' ? undefined : JSON.parse(err).after;
    } while (after !== undefined && seen.length < 2 * ids.length);
    expect(seen).toEqual(ids);
  });

  test('people read that a list is cut below the table, and nothing about a complete list', async () => {
    const cut = await operator.gateway(`${command} --limit 4`);
    expect(cut.err).toBe(`4 shown, there are more: go on with --after ${ids[3]}\n`);
    expect((await operator.gateway(`${command} --limit 5`)).err).toBe('');
    expect((await operator.gateway(command)).err).toBe('');
  });

  test('an unknown id and an invalid limit are refused', async () => {
    expect(await operator.gateway(`${command} --after nothing`)).toMatchObject({
      code: exitCodes.refused,
      err: 'gateway: --after: there is nothing with the id nothing.\n',
    });
    for (const limit of ['0', 'all', String(limits.operatorListedMax + 1)]) {
      const { code, err } = await operator.gateway(`${command} --limit ${limit}`);
      expect([code, err]).toEqual([exitCodes.usage, expect.stringContaining('--limit takes a whole number from 1 to')]);
    }
  });
});

test('a settled difference is listed only as settled', async () => {
  expect(await operator.json('findings list --status settled')).toMatchObject([{ findingId: 'sandbox:missing:done' }]);
  expect(await operator.json('findings list --status imported')).toEqual([]);
});

test('a scan that ended early says so', async () => {
  await operator.json('bins import docs/bins-sample.csv');
  const customers = operator.database.collection<{ _id: string; description: string }>('customers');
  const put = (count: number, from = 0) =>
    customers.insertMany(
      Array.from({ length: count }, (_, at) => ({ _id: `cus_${from + at}`, description: '4000000000000002' })),
    );
  await put(2);
  expect((await operator.gateway('vault scan --json')).err).toBe('');
  await put(limits.scanFoundMax, 2);
  const { out, err } = await operator.gateway('vault scan --json');
  expect(JSON.parse(out)).toHaveLength(limits.scanFoundMax);
  expect(JSON.parse(err).more).toBe(`${limits.scanFoundMax} shown, where the scan ended: mend these, and run it again`);
});
