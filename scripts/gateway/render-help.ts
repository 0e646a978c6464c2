/** Renders help of every level, and the page of the documentation, from the list of commands. */
import type { Command, CommandGroup, Option } from './command.js';
import { PROGRAM } from './program-name.js';
import { globalOptions } from './read-command-line.js';

/** Aligns rows in two columns. */
function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

const optionText = (name: string, { value }: Option) => `--${name}${value === undefined ? '' : ` ${value}`}`;

function aboutOption(option: Option): string {
  const notes = [
    ...(option.required ? ['required'] : []),
    ...(option.multiple ? ['may be repeated'] : []),
    ...(option.default === undefined ? [] : [`default ${option.default}`]),
  ];
  return notes.length > 0 ? `${option.about} (${notes.join(', ')})` : option.about;
}

const optionRows = (options: Readonly<Record<string, Option>>) =>
  Object.entries(options).map(([name, option]) => [optionText(name, option), aboutOption(option)] as const);

/** Returns the syntax of a command in one line. */
export function usageOf({ path, words = [], options = {} }: Command): string {
  const required = Object.entries(options).filter(([, option]) => option.required);
  const parts = [
    PROGRAM,
    ...path,
    ...words.map(({ name }) => `<${name}>`),
    ...required.map(([name, option]) => optionText(name, option)),
  ];
  return `${parts.join(' ')}${required.length < Object.keys(options).length ? ' [options]' : ''}`;
}

function commandHelp(command: Command): string {
  const { summary, details, words = [], options = {}, examples } = command;
  const section = (title: string, lines: readonly string[]) => (lines.length > 0 ? ['', `${title}:`, ...lines] : []);
  return [
    `${usageOf(command)}`,
    '',
    summary,
    ...(details ? [details] : []),
    ...section('Words', columns(words.map(({ name, about }) => [`<${name}>`, about]))),
    ...section('Options', columns(optionRows(options))),
    ...section('Everywhere', columns(optionRows(globalOptions))),
    ...section(
      'Examples',
      examples.map((example) => `  ${PROGRAM} ${example}`),
    ),
  ].join('\n');
}

function listHelp(title: string, rows: readonly (readonly [string, string])[], more: string): string {
  return [
    title,
    '',
    'Commands:',
    ...columns(rows),
    '',
    'Everywhere:',
    ...columns(optionRows(globalOptions)),
    '',
    more,
  ].join('\n');
}

/** Returns help for the part of a command that was typed. */
export function renderHelp(groups: readonly CommandGroup[], path: readonly string[]): string {
  const matching = groups
    .flatMap(({ commands }) => commands)
    .filter((command) => path.every((part, at) => command.path[at] === part));
  const [only] = matching;
  if (only && path.length === only.path.length) return commandHelp(only);
  if (path.length > 0 && matching.length > 0) {
    const summary = groups.find(({ name }) => name === path[0])?.summary ?? '';
    const rows = matching.map((command) => [command.path.join(' '), command.summary] as const);
    return listHelp(
      `${PROGRAM} ${path.join(' ')} <command>: ${summary}`,
      rows,
      `Run \`${PROGRAM} ${path.join(' ')} <command> --help\` for one of them.`,
    );
  }
  return listHelp(
    `${PROGRAM} <command>: the operator command line of the payment gateway.`,
    groups.map(({ name, summary }) => [name, summary] as const),
    `Settings come from the environment (MONGODB_URI, API_KEY_PEPPER, GATEWAY_ENVIRONMENT, ...), as for the gateway itself.\nRun \`${PROGRAM} <command> --help\` for one of them.`,
  );
}

/** Renders the generated part of docs/command-line.md. */
export function renderCommandList(groups: readonly CommandGroup[]): string {
  return groups
    .map(({ name, summary, commands }) => {
      const parts = commands.map((command) => {
        const { words = [], options = {} } = command;
        const rows = [
          ...words.map(({ name: word, about }) => `| \`<${word}>\` | ${about} |`),
          ...optionRows(options).map(([left, right]) => `| \`${left}\` | ${right} |`),
        ];
        return [
          `### ${command.path.join(' ')}`,
          '',
          command.summary,
          ...(command.details ? ['', command.details] : []),
          ...(rows.length > 0 ? ['', '| word or option | meaning |', '|---|---|', ...rows] : []),
          '',
          '```sh',
          ...command.examples.map((example) => `${PROGRAM} ${example}`),
          '```',
        ].join('\n');
      });
      return [`## ${name}`, '', `${summary}`, '', parts.join('\n\n')].join('\n');
    })
    .join('\n\n');
}
