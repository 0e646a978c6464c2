/** The story of one command: read, connect, do, answer. */
import { ConfigError, loadSettings } from '../../config/index.js';
import type { SettingName } from '../../config/schema.js';
import { systemClock } from '../../shared/clock.js';
import { openProvisioning, ProvisioningError } from '../../shared/provisioning/provisioning.js';
import { createAuditRepository } from '../../shared/store/audit.repository.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { databaseProblem, openDatabase } from '../../shared/store/database.js';
import { claimEnvironment, EnvironmentMismatchError } from '../../shared/store/environment.repository.js';
import { type Command, type Result, type Tools, UsageError } from './command.js';
import { commandGroups } from './commands/index.js';
import { type CommandLine, findCommand, knownPath, readGlobalOptions, readInput } from './read-command-line.js';
import { renderHelp } from './render-help.js';
import { renderResult } from './render-result.js';
import { environmentOf } from './surroundings.js';

/** Exit codes, as docs/command-line.md lists them. */
export const exitCodes = { done: 0, refused: 1, usage: 2, notReady: 3 } as const;

export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  out(text: string): void;
  err(text: string): void;
  /** Folder `.local` of the sandbox, when it is not the checkout's. */
  readonly local?: string;
}

/** Who did it, in the audit. */
const ACTOR = 'operator';
/** Whose object it is when it is no client's. */
const INSTALLATION = 'installation';

async function perform(command: Command, line: CommandLine, terminal: Terminal): Promise<Result> {
  const input = readInput(command, line.words.slice(command.path.length));
  const env = environmentOf(line, terminal.env, terminal.local);
  const names: SettingName[] = ['environment', 'mongodbUri', 'apiKeyPepper', ...(command.settings ?? [])];
  const config = loadSettings(names, env);
  const database = await openDatabase(config.mongodbUri);
  try {
    await claimEnvironment(database, config.environment);
    await ensureIndexes(database);
    const audit = createAuditRepository(database, systemClock);
    const tools: Tools = {
      database,
      config,
      provisioning: openProvisioning(database, config, systemClock),
      record: ({ clientId = INSTALLATION, ...entry }) =>
        audit.append({ clientId, actor: ACTOR, outcome: 'done', ...entry }),
      progress: (text) => line.json || terminal.err(text),
    };
    return await command.run(input, tools);
  } finally {
    await database.close();
  }
}

const OTHER_PLACES =
  'Settings come from the environment. Add --sandbox to work on what `npm start` runs here, or --env-file <file>.';

/** What is said about an error, and the exit code. @param elsewhere the settings were taken from where the options say */
function explain(error: unknown, elsewhere: boolean): { message: string; code: number } {
  if (error instanceof UsageError) return { message: error.message, code: exitCodes.usage };
  if (error instanceof ProvisioningError) return { message: error.message, code: exitCodes.refused };
  if (error instanceof ConfigError) {
    return { message: elsewhere ? error.message : `${error.message}\n${OTHER_PLACES}`, code: exitCodes.notReady };
  }
  if (error instanceof EnvironmentMismatchError) return { message: error.message, code: exitCodes.notReady };
  const { message, stack } = error as Error;
  const problem = databaseProblem(error);
  if (problem !== undefined) {
    return { message: `${problem} With --sandbox, \`npm start\` has to run.`, code: exitCodes.notReady };
  }
  return { message: stack ?? message, code: exitCodes.refused };
}

/** Runs one command. @returns the exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let json = false;
  let elsewhere = false;
  let path: readonly string[] = [];
  try {
    const line = readGlobalOptions(args);
    json = line.json;
    elsewhere = line.sandbox || line.envFile !== undefined;
    const command = findCommand(commandGroups, line.words);
    path = command?.path ?? knownPath(commandGroups, line.words);
    if (line.help && (command || path.length === line.words.length)) {
      terminal.out(renderHelp(commandGroups, path));
      return exitCodes.done;
    }
    if (!command && path.length === line.words.length) {
      terminal.err(renderHelp(commandGroups, path));
      return exitCodes.usage;
    }
    if (!command)
      throw new UsageError(`There is no command "${line.words.slice(0, path.length + 1).join(' ')}".`, path);
    terminal.out(renderResult(await perform(command, line, terminal), json));
    return exitCodes.done;
  } catch (error) {
    const { message, code } = explain(error, elsewhere);
    if (json) terminal.err(JSON.stringify({ error: message, code }));
    else terminal.err(`gateway: ${message}`);
    if (error instanceof UsageError && !json) {
      terminal.err(
        `Run \`${['npx gateway', ...(error.path.length > 0 ? error.path : path), '--help'].join(' ')}\` to see how it is written.`,
      );
    }
    return code;
  }
}
