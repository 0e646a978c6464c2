import { readConfigOf } from '../../../config/index.js';
import { misspeltSettings } from '../../../config/misspelt.js';
import { type ProcessName, processNames } from '../../../config/readers.js';
import { systemClock } from '../../../shared/clock.js';
import { type CommandGroup, type Input, type Row, UsageError } from '../command.js';
import { examine } from '../doctor/examine.js';
import { type Finding, isFine } from '../doctor/finding.js';

const path = ['doctor'];

function processesOf(input: Input): readonly ProcessName[] {
  const names = input.list('process');
  const unknown = names.find((name) => !(processNames as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`There is no process "${unknown}". There are: ${processNames.join(', ')}.`, path);
  }
  return names.length > 0 ? (names as ProcessName[]) : processNames;
}

const STATE_WIDTH = 'missing'.length;

/** Renders one line per finding, with its remedy below, if there is one. */
function textOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(STATE_WIDTH + width + 4);
  const lines = findings.flatMap(({ state, check, found, todo, docs }) => [
    `${state.padEnd(STATE_WIDTH)}  ${check.padEnd(width)}  ${found}`,
    ...(state === 'ok' ? [] : [`${indent}${todo ? `${todo} ` : ''}(${docs})`]),
  ]);
  const count = findings.filter(({ state }) => state === 'missing' || state === 'wrong').length;
  const end = count === 0 ? 'Nothing is missing or wrong.' : `Missing or wrong: ${count}.`;
  return [...lines, '', end].join('\n');
}

const rowOf = ({ check, state, found, todo, docs }: Finding): Row => ({ state, check, found, todo, docs });

export const doctor: CommandGroup = {
  name: 'doctor',
  summary: 'Whether the installation is fit to take payments.',
  commands: [
    {
      path,
      summary: 'Examines the installation as it is configured, and says what is missing or wrong and what to do.',
      details:
        'It changes nothing. Processors are asked by what has no effect there: iso8583 by an echo, on a connection of its own without sign-on. Exit code 1: something is missing or wrong. It needs the settings of all processes; where each process has only its own, name the one whose settings are here.',
      options: {
        process: {
          value: '<process>',
          about: `Only the settings of this process are here: ${processNames.join(', ')}.`,
          multiple: true,
        },
        'skip-processors': { about: 'Connect to no processor.' },
      },
      examples: ['doctor', 'doctor --env-file .env --json', 'doctor --process web'],
      reads: true,
      async examine(input, env) {
        const processes = processesOf(input);
        const { values, problems } = readConfigOf(processes, env);
        const findings = await examine({
          processes,
          environment: values.environment ?? 'testing',
          config: values,
          problems,
          misspelt: misspeltSettings(env),
          connects: !input.flag('skip-processors'),
          clock: systemClock,
        });
        const result = { kind: 'report', answer: findings.map(rowOf), text: textOf(findings) } as const;
        return { result, fine: isFine(findings) };
      },
    },
  ],
};
