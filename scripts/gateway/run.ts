/** Runs one command: parses it, connects, executes it, prints the result. */
import { type Config, ConfigError, loadSettings } from '../../config/index.js';
import type { SettingName } from '../../config/schema.js';
import type { Clock } from '../../shared/clock.js';
import { type AuditRepository, createAuditRepository } from '../../shared/store/audit.repository.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, databaseProblem, openDatabase } from '../../shared/store/database.js';
import { exceededTimeLimit } from '../../shared/store/database-errors.js';
import {
  checkEnvironment,
  claimEnvironment,
  EnvironmentMismatchError,
} from '../../shared/store/environment.repository.js';
import {
  checkKeys,
  compareKeys,
  KeyMismatchError,
  type KeySettings,
} from '../../shared/store/key-checks.repository.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import { openProvisioning, ProvisioningError } from '../provisioning/provisioning.js';
import { actorOf } from './actor.js';
import { type Input, type Result, type Tools, UsageError, type WorkingCommand } from './command.js';
import { commandGroups } from './commands/index.js';
import { environmentOf, versionOf } from './environment.js';
import { auditedObjectOf, INSTALLATION } from './named-by.js';
import { PROGRAM } from './program-name.js';
import { type CommandLine, readCommandLine } from './read-command-line.js';
import { renderHelp } from './render-help.js';
import { renderResult } from './render-result.js';

/** Exit codes, as docs/command-line.md lists them. */
export const exitCodes = { done: 0, refused: 1, usage: 2, notReady: 3 } as const;

export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  out(text: string): void;
  err(text: string): void;
  /** Folder `.local` of the sandbox, when it is not the checkout's. */
  readonly local?: string;
}

/** Whether the error says in one sentence why a command did nothing. */
const isRefusal = (error: unknown): error is Error => error instanceof ProvisioningError || error instanceof VaultError;

/** Records the refusal of a command, unless the command only reads. */
async function recordRefusal(
  command: WorkingCommand,
  input: Input,
  error: unknown,
  append: AuditRepository['append'],
  actor: string,
) {
  if (command.reads || !isRefusal(error)) return;
  const action = command.path.join(' ');
  await append({ ...auditedObjectOf(command, input), actor, action, outcome: 'refused' });
}

type AdmittedSettings = KeySettings & Pick<Config, 'environment'>;

/** Returns MongoDB's time, which the processes use too: an operator's machine with a wrong clock ends no key too early. */
async function readClock(database: Database): Promise<Clock> {
  const { timeMs } = await database.readClock();
  const aheadMs = timeMs - performance.now();
  return { now: () => new Date(performance.now() + aheadMs) };
}

/**
 * Checks the database before a command. A command that changes something claims a new database, as the first start of a process does. A
 * command that only reads does not: a look with the wrong settings must not decide what a database is for.
 * @throws {EnvironmentMismatchError | KeyMismatchError} when the database was used with other settings
 */
async function admit({ reads, acceptsKeys }: WorkingCommand, database: Database, config: AdmittedSettings) {
  if (reads) {
    await checkEnvironment(database, config.environment);
    const { wrong } = await compareKeys(database, config);
    if (wrong.length > 0) throw new KeyMismatchError(wrong);
    return;
  }
  await claimEnvironment(database, config.environment);
  if (!acceptsKeys) await checkKeys(database, config);
  await ensureIndexes(database);
}

async function perform(command: WorkingCommand, line: CommandLine, terminal: Terminal): Promise<Result> {
  const actor = actorOf(line.as);
  const input = line.input();
  const env = environmentOf(line, terminal.env, terminal.local);
  const names: SettingName[] = ['environment', 'mongodbUri', 'apiKeyPepper', ...(command.settings ?? [])];
  const config = loadSettings(names, env);
  const database = await openDatabase(config.mongodbUri);
  try {
    await admit(command, database, config);
    const clock = await readClock(database);
    const audit = createAuditRepository(database, clock);
    const tools: Tools = {
      database,
      config,
      provisioning: openProvisioning(database, config, clock),
      record: ({ clientId = INSTALLATION, ...entry }) => audit.append({ clientId, actor, outcome: 'done', ...entry }),
      progress: (text) => line.json || terminal.err(text),
    };
    return await command.run(input, tools).catch(async (error: unknown) => {
      await recordRefusal(command, input, error, audit.append, actor);
      throw error;
    });
  } finally {
    await database.close();
  }
}

const SEARCHED_TOO_LONG =
  'MongoDB searched for too long and ended the search. Ask for less, for example with --since, or again when it is less busy.';

const SANDBOX_RUNS = 'The sandbox has to run: `npm start`.';

const OTHER_PLACES =
  'Settings come from the environment. Add --sandbox to work on what `npm start` runs here, or --env-file <file>.';

/** Returns the text for an error, and the exit code. @param line its options that say where the settings come from */
function explain(
  error: unknown,
  { sandbox, envFile }: Partial<Pick<CommandLine, 'sandbox' | 'envFile'>> = {},
): { message: string; code: number } {
  if (error instanceof UsageError) return { message: error.message, code: exitCodes.usage };
  if (isRefusal(error)) return { message: error.message, code: exitCodes.refused };
  if (error instanceof ConfigError) {
    const elsewhere = sandbox || envFile !== undefined;
    return { message: elsewhere ? error.message : `${error.message}\n${OTHER_PLACES}`, code: exitCodes.notReady };
  }
  if (error instanceof EnvironmentMismatchError || error instanceof KeyMismatchError)
    return { message: error.message, code: exitCodes.notReady };
  if (exceededTimeLimit(error)) return { message: SEARCHED_TOO_LONG, code: exitCodes.refused };
  const { message, stack } = error as Error;
  const problem = databaseProblem(error);
  if (problem !== undefined) {
    return { message: sandbox ? `${problem} ${SANDBOX_RUNS}` : problem, code: exitCodes.notReady };
  }
  return { message: stack ?? message, code: exitCodes.refused };
}

/** Executes the command line, prints the result and returns the exit code. */
async function answer(line: CommandLine, terminal: Terminal): Promise<number> {
  const { about, command, path } = line;
  if (about === 'version') {
    terminal.out(versionOf());
  } else if (about === 'help') {
    terminal.out(renderHelp(commandGroups, path));
  } else if (!command) {
    if (line.json) throw new UsageError('The command is missing, or is not whole.', path);
    terminal.err(renderHelp(commandGroups, path));
    return exitCodes.usage;
  } else if ('print' in command) {
    terminal.out(command.print(line.input(), commandGroups));
  } else if ('answer' in command) {
    terminal.out(renderResult(command.answer(line.input()), line.json));
  } else if ('examine' in command) {
    const { result, fine } = await command.examine(line.input(), environmentOf(line, terminal.env, terminal.local));
    terminal.out(renderResult(result, line.json));
    return fine ? exitCodes.done : exitCodes.refused;
  } else {
    const result = await perform(command, line, terminal);
    terminal.out(renderResult(result, line.json));
    if (result.kind !== 'rows') return result.fine === false ? exitCodes.refused : exitCodes.done;
    const { more } = result;
    if (more) terminal.err(line.json ? JSON.stringify({ more: more.sentence, after: more.after }) : more.sentence);
  }
  return exitCodes.done;
}

/** Runs one command. @returns the exit code */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let line: CommandLine | undefined;
  try {
    line = readCommandLine(commandGroups, args);
    return await answer(line, terminal);
  } catch (error) {
    const { message, code } = explain(error, line);
    // When the line could not be parsed, only its words show that the answer is for a script.
    const json = line?.json ?? args.includes('--json');
    terminal.err(json ? JSON.stringify({ error: message, code }) : `gateway: ${message}`);
    if (error instanceof UsageError && !json) {
      const path = error.path.length > 0 ? error.path : (line?.path ?? []);
      terminal.err(`Run \`${[PROGRAM, ...path, '--help'].join(' ')}\` to see how it is written.`);
    }
    return code;
  }
}
