import { offeredProcessors } from '../../../api/merchants/offered-processors.js';
import { ConfigError } from '../../../config/index.js';
import { limits } from '../../../config/limits.js';
import { createLog } from '../../../shared/log.js';
import type { Processor } from '../../../shared/processors/processor.js';
import { createProcessors, type ProcessorConfig, type Processors } from '../../../shared/processors/registry.js';
import { createKeyReportRepository } from '../../../shared/store/key-reports.repository.js';
import { countOpenElsewhere } from '../../provisioning/open-payments.js';
import { type Check, type ExaminedDatabase, reasonOf } from './examined.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, notice, missing, wrong } = findingsOf('processors', 'docs/going-live.md#acquirer');

async function probe(processor: Processor): Promise<Finding> {
  const { code } = processor;
  if (!processor.probe) {
    return notice(
      `${code}: configured; it cannot be asked without an effect`,
      'Make a payment in its test environment.',
    );
  }
  try {
    const result = await processor.probe();
    if (result.kind === 'reachable') return ok(`${code}: ${result.detail}`);
    return wrong(`${code}: not reachable: ${result.internal}`, 'Correct its settings, or ask the acquirer.');
  } catch (error) {
    return wrong(`${code}: not reachable: ${reasonOf(error)}`, 'Correct its settings, or ask the acquirer.');
  }
}

const isCaller = (name: string) => name === 'processor' || name === 'qr';

/** Makes the adapters that these settings configure. Undefined when the settings are not present here. @throws {ConfigError} */
function openProcessors({ processes, config, database }: ExaminedDatabase): Processors | undefined {
  if (!processes.some(isCaller)) return undefined;
  const { processorTimeoutMs = limits.doctorConnectMs } = config;
  const bounded = { ...config, processorTimeoutMs: Math.min(processorTimeoutMs, limits.doctorConnectMs) };
  return createProcessors(bounded as ProcessorConfig, createLog('doctor', 'silent'), database);
}

/** Credentials that each merchant needs, by processor. Empty: the installation's settings are enough. */
export type Installed = ReadonlyMap<string, readonly string[]>;

const needsOf = ({ merchantCredentials = [], merchantCredentialsOptional }: Processor) =>
  merchantCredentialsOptional ? [] : merchantCredentials;

/** Finds the processors that these settings configure. Undefined when that is not known here. */
export async function installedProcessors(examined: ExaminedDatabase): Promise<Installed | undefined> {
  try {
    const processors = openProcessors(examined);
    await processors?.close();
    return processors && new Map(processors.codes.map((code) => [code, needsOf(processors.get(code) as Processor)]));
  } catch (error) {
    // Reported by the check of the processors.
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/**
 * Returns the codes of processors that payments can be sent to: from the settings when they are present, else as running workers report.
 * @param needs result of `installedProcessors`
 * @returns undefined when that is not known
 */
export async function processorsHere(
  { database }: Pick<ExaminedDatabase, 'database'>,
  needs: Installed | undefined,
): Promise<ReadonlySet<string> | undefined> {
  return needs ? new Set(needs.keys()) : offeredProcessors(await createKeyReportRepository(database).findLive());
}

/** Finds open payments of processors that are gone. They are neither inquired nor reversed, and nothing else would report it for days. */
export const checkOpenPayments: Check<ExaminedDatabase> = async (examined) => {
  const installed = await processorsHere(examined, await installedProcessors(examined));
  if (!installed) return [];
  return (await countOpenElsewhere(examined.database, installed)).map(({ processor, count }) =>
    wrong(
      `${processor}: not configured, and payments there are open: ${count}`,
      'Give its settings back until they have ended.',
    ),
  );
};

async function probeAll(processors: Processors, connects: boolean): Promise<readonly Finding[]> {
  const configured = processors.codes.map((code) => processors.get(code) as Processor);
  if (configured.length === 0) {
    const todo = 'Set the settings of one, for example ISO8583_HOST and those that go with it.';
    return [missing('none is configured: every payment is refused', todo)];
  }
  if (!connects) return configured.map(({ code }) => notice(`${code}: configured; not connected, as asked for`));
  return Promise.all(configured.map(probe));
}

export const checkProcessors: Check<ExaminedDatabase> = async (examined) => {
  let processors: Processors | undefined;
  try {
    processors = openProcessors(examined);
    if (!processors) return [notice('not looked at: only the pools processor and qr have their settings')];
    return await probeAll(processors, examined.connects);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => wrong(problem, 'Correct the file or setting.'));
  } finally {
    await processors?.close();
  }
};
