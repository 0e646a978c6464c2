/** Turns the words of a command line into a command and its input. Commander parses them by the list of commands. */
import { Command as Commander, CommanderError } from 'commander';
import { type Command, type CommandGroup, type Input, type Option, UsageError } from './command.js';

/** Options that every command has, in any position. */
export const globalOptions: Readonly<Record<string, Option>> = {
  json: { about: 'Answer as JSON, for scripts.' },
  sandbox: { about: 'Work on the sandbox that `npm start` runs in this checkout (.local).' },
  'env-file': { value: '<file>', about: 'Read settings from a file too; the environment goes first.' },
  as: { value: '<name>', about: 'Who does it, for the audit; the user of the operating system when it is not given.' },
  help: { about: 'Say how it is written.' },
  version: { about: 'Say which version this is.' },
};

const SHORT: Readonly<Record<string, string>> = { help: '-h', version: '-V' };

export interface CommandLine {
  readonly json: boolean;
  readonly sandbox: boolean;
  readonly envFile: string | undefined;
  /** Who runs the command, for the audit. */
  readonly as: string | undefined;
  /** Set when help or the version is requested instead of a command. The first of them counts. */
  readonly about: 'help' | 'version' | undefined;
  /** The words of a command, or the leading words that begin at least one command. */
  readonly path: readonly string[];
  /** Absent when the words are not a complete command. */
  readonly command: Command | undefined;
  /** Reads what follows the command's own words. @throws {UsageError} for missing, empty or superfluous words */
  readonly input: () => Input;
}

type Values = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

const collect = (value: string, before: readonly string[] = []) => [...before, value];

const TWICE = 'gateway.optionTwice';

/** Refuses a second value: it is not known which is meant, and Commander would take the last one. */
const takeOnce = (name: string) => (value: string, before: string | undefined) => {
  if (before !== undefined) throw new CommanderError(1, TWICE, `option '--${name}' is given twice`);
  return value;
};

function addOption(to: Commander, name: string, { value, multiple, about }: Option): void {
  const flags = [SHORT[name], `--${name}${value === undefined ? '' : ` ${value}`}`].filter(Boolean).join(', ');
  if (multiple) to.option(flags, about, collect);
  else if (value !== undefined) to.option(flags, about, takeOnce(name));
  else to.option(flags, about);
}

const camelCase = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Result of commander's parsing. */
interface ParsedInput {
  command?: Command;
  operands: readonly string[];
  values: Values;
}

/** Builds commander's tree of the commands. Help and error texts are ours. */
function buildTree(groups: readonly CommandGroup[], found: ParsedInput): Commander {
  const root = new Commander().helpOption(false).helpCommand(false).exitOverride();
  root.configureOutput({ writeOut: () => {}, writeErr: () => {} });
  for (const [name, option] of Object.entries(globalOptions)) addOption(root, name, option);
  for (const command of groups.flatMap(({ commands }) => commands)) {
    const node = command.path.reduce(
      (parent, word) => parent.commands.find((child) => child.name() === word) ?? parent.command(word),
      root,
    );
    for (const [name, option] of Object.entries(command.options ?? {})) addOption(node, name, option);
    // readInput reports missing and superfluous words, in our own texts.
    node.allowExcessArguments();
    node.action(() => {
      Object.assign(found, { command, operands: node.args, values: node.opts() });
    });
  }
  return root;
}

const startsWith = (words: readonly string[], path: readonly string[]) =>
  path.every((part, index) => words[index] === part);

/** Returns the leading words that begin at least one command: `['keys']` for `keys isue`. */
function knownPath(groups: readonly CommandGroup[], words: readonly string[]): readonly string[] {
  const paths = groups.flatMap(({ commands }) => commands.map(({ path }) => path));
  for (let length = words.length; length > 0; length--) {
    const head = words.slice(0, length);
    if (paths.some((path) => startsWith(path, head))) return head;
  }
  return [];
}

/** Turns commander's error into a sentence, with the word that was probably meant. */
function toUsageError(
  { code, message }: CommanderError,
  words: readonly string[],
  path: readonly string[],
): UsageError {
  const [first = '', hint = ''] = message.replace(/^error: /, '').split('\n');
  const meant = hint && ` ${hint.replace(/^\(|\)$/g, '')}`;
  if (code === 'commander.unknownCommand') {
    return new UsageError(`There is no command "${words.slice(0, path.length + 1).join(' ')}".${meant}`, path);
  }
  const [quoted = ''] = /'[^']*'/.exec(first) ?? [];
  const option = quoted.slice(1, -1).replace(/^-\w, /, '');
  if (code === 'commander.unknownOption') return new UsageError(`There is no option ${option}.${meant}`, path);
  if (code === TWICE) return new UsageError(`${option} is given twice, and takes one value.`, path);
  if (code === 'commander.optionMissingArgument') return new UsageError(`${option}: its value is missing.`, path);
  return new UsageError(`${first}.`, path);
}

/**
 * Reads a whole command line.
 * @param args the words after the program's name
 * @throws {UsageError} for a command or option that does not exist, or an option without its value or with two
 */
export function readCommandLine(groups: readonly CommandGroup[], args: readonly string[]): CommandLine {
  const found: ParsedInput = { operands: [], values: {} };
  const root = buildTree(groups, found);
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : [...args];
  try {
    root.parse(words, { from: 'user' });
  } catch (error) {
    const reason = error as CommanderError;
    // Half a command: commander would print its own help.
    if (reason.code !== 'commander.help') throw toUsageError(reason, root.args, knownPath(groups, root.args));
  }
  const { json = false, sandbox = false, envFile, as, help, version } = root.opts();
  const { command } = found;
  return {
    json,
    sandbox,
    envFile,
    as,
    about: help ? 'help' : version ? 'version' : undefined,
    path: command?.path ?? knownPath(groups, root.args),
    command,
    input: () => {
      if (!command) throw new Error('There is no command to read the input of.');
      return readInput(command, found, words);
    },
  };
}

/** @throws {UsageError} for missing or superfluous words, and for an option that is missing or has no value */
function checkInput(command: Command, { operands, values }: ParsedInput, args: readonly string[]): void {
  const { words = [], options = {}, path } = command;
  const missing = words[operands.length];
  if (missing) throw new UsageError(`<${missing.name}> is missing: ${missing.about}`, path);
  if (operands.length > words.length) {
    throw new UsageError(`"${operands[words.length]}" is one word too many.`, path);
  }
  for (const [name, { required, value, about }] of Object.entries(options)) {
    const given = values[camelCase(name)];
    if (required && given === undefined) throw new UsageError(`--${name} ${value ?? ''} is missing: ${about}`, path);
    for (const text of [given ?? []].flat()) {
      if (text === '') throw new UsageError(`--${name} is empty.`, path);
      // `--name --json` is far more often a forgotten value than a name.
      if (typeof text === 'string' && text.startsWith('--') && args.includes(text)) {
        throw new UsageError(
          `--${name}: its value is missing. One that begins with -- is written --${name}=${text}.`,
          path,
        );
      }
    }
  }
}

function readInput(command: Command, found: ParsedInput, args: readonly string[]): Input {
  checkInput(command, found, args);
  const { words = [], options = {} } = command;
  const { operands, values } = found;
  const value = (name: string) => values[camelCase(name)];
  const optional = (name: string) => (value(name) as string | undefined) ?? options[name]?.default;
  return {
    word: (name) => operands[words.findIndex((word) => word.name === name)] ?? '',
    text: (name) => optional(name) ?? '',
    optional,
    list: (name) =>
      ((value(name) ?? []) as readonly string[]).flatMap((text) => text.split(',')).map((text) => text.trim()),
    flag: (name) => value(name) === true,
  };
}
