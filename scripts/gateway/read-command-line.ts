/** From the words of a command line to a command and its input. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Command, type CommandGroup, type Input, UsageError } from './command.js';

/** Options that every command has, wherever they stand. */
export const globalOptions = {
  json: { about: 'Answer as JSON, for scripts.' },
  sandbox: { about: 'Work on the sandbox that `npm start` runs in this checkout (.local).' },
  'env-file': { value: '<file>', about: 'Read settings from a file too; the environment goes first.' },
  help: { about: 'Say how it is written.' },
} as const;

export interface CommandLine {
  readonly json: boolean;
  readonly help: boolean;
  readonly sandbox: boolean;
  readonly envFile: string | undefined;
  /** All else, in order. */
  readonly words: readonly string[];
}

/** Takes the options that every command has out of the words. */
export function readGlobalOptions(args: readonly string[]): CommandLine {
  const words: string[] = [];
  const found = { json: false, help: false, sandbox: false, envFile: undefined as string | undefined };
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      words.push(word, ...rest.splice(0));
    } else if (word === '--json' || word === '--sandbox' || word === '--help') {
      found[word.slice(2) as 'json' | 'sandbox' | 'help'] = true;
    } else if (word === '-h') {
      found.help = true;
    } else if (word === '--env-file') {
      found.envFile = rest.shift();
      if (found.envFile === undefined) throw new UsageError('--env-file takes a file.');
    } else if (word.startsWith('--env-file=')) {
      found.envFile = word.slice('--env-file='.length);
    } else if (word === 'help' && words.length === 0) {
      found.help = true;
    } else {
      words.push(word);
    }
  }
  return { ...found, words };
}

const startsWith = (words: readonly string[], path: readonly string[]) =>
  path.every((part, index) => words[index] === part);

/** The command that the words begin with. */
export function findCommand(groups: readonly CommandGroup[], words: readonly string[]): Command | undefined {
  return groups.flatMap(({ commands }) => commands).find(({ path }) => startsWith(words, path));
}

/** As many of the leading words as lead to some command: `['keys']` of `keys isue`. */
export function knownPath(groups: readonly CommandGroup[], words: readonly string[]): readonly string[] {
  const paths = groups.flatMap(({ commands }) => commands.map(({ path }) => path));
  for (let length = words.length; length > 0; length--) {
    const head = words.slice(0, length);
    if (paths.some((path) => startsWith(path, head))) return head;
  }
  return [];
}

function parse(command: Command, args: string[]) {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const [name, { value, multiple = false }] of Object.entries(command.options ?? {})) {
    options[name] = value === undefined ? { type: 'boolean' } : { type: 'string', multiple };
  }
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    // parseArgs says well what is wrong, and then gives advice about `--` that few need.
    const [sentence = ''] = (error as Error).message.split(/\. (?:To specify|Did you)/);
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`, command.path);
  }
}

/**
 * Reads what stands after the command's own words.
 * @throws {UsageError} for a word too many or too few, an option that is unknown, missing or lacks its value.
 */
export function readInput(command: Command, args: readonly string[]): Input {
  const { values, positionals } = parse(command, [...args]);
  const { words = [], options = {} } = command;
  const missing = words[positionals.length];
  if (missing) throw new UsageError(`<${missing.name}> is missing: ${missing.about}`, command.path);
  if (positionals.length > words.length) {
    throw new UsageError(`"${positionals[words.length]}" is one word too many.`, command.path);
  }
  for (const [name, { required, value, about }] of Object.entries(options)) {
    if (required && values[name] === undefined) {
      throw new UsageError(`--${name} ${value ?? ''} is missing: ${about}`, command.path);
    }
    if (values[name] === '') throw new UsageError(`--${name} is empty.`, command.path);
  }
  const optional = (name: string) => (values[name] as string | undefined) ?? options[name]?.default;
  return {
    word: (name) => positionals[words.findIndex((word) => word.name === name)] ?? '',
    text: (name) => optional(name) ?? '',
    optional,
    list: (name) => ((values[name] ?? []) as string[]).flatMap((text) => text.split(',')).map((text) => text.trim()),
    flag: (name) => values[name] === true,
  };
}
