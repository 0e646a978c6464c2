/** A command of the operator command line is one object: how it is written, its help and what it does derive from it. */
import type { Config } from '../../config/index.js';
import type { ProcessorSettingName } from '../../config/processor-settings.js';
import type { SettingName } from '../../config/schema.js';
import type { ProcessorConfig } from '../../shared/processors/registry.js';
import type { AuditEntry } from '../../shared/store/audit.repository.js';
import type { Database } from '../../shared/store/database.js';
import type { KeySettings } from '../../shared/store/key-checks.repository.js';
import type { Provisioning } from '../provisioning/provisioning.js';

export interface Option {
  /** What follows it, for the help: `<client>`. Absent: a switch. */
  readonly value?: string;
  readonly about: string;
  readonly required?: boolean;
  /** May be given more than once, or as a list with commas. */
  readonly multiple?: boolean;
  readonly default?: string;
}

/** What was written on the command line; names are those of the command's own lists. */
export interface Input {
  /** The word at the place of this name. */
  word(name: string): string;
  /** An option that is required or has a default. */
  text(name: string): string;
  optional(name: string): string | undefined;
  list(name: string): readonly string[];
  flag(name: string): boolean;
}

/** What scripts get of a command: what is in it may be lists of rows too. */
export type Answer = Readonly<Record<string, Cell | readonly Row[]>>;

export type Cell = string | number | boolean | Date | null | undefined | readonly (string | number)[];
export type Row = Readonly<Record<string, Cell>>;

/** A list was cut. */
export interface More {
  /** How much is shown, and how to go on. */
  readonly sentence: string;
  /** What `--after` takes to go on, where there is that option. */
  readonly after?: string;
}

/** What a command answers: printed as a table or as lines for people, as JSON for scripts. */
export type Result =
  /** Printed as `text`; rows, or an object, for scripts. */
  | {
      readonly kind: 'report';
      readonly answer: readonly Row[] | Answer;
      readonly text: string;
      /** `false`: exit code 1, for a script that wants to know. */
      readonly fine?: boolean;
    }
  | {
      readonly kind: 'rows';
      readonly rows: readonly Row[];
      /** Said when there are none. */
      readonly empty: string;
      /** The list goes on: said on standard error, so that the rows stay what they are for scripts. */
      readonly more?: More | undefined;
    }
  | {
      readonly kind: 'record';
      /** One sentence: what was done. */
      readonly done: string;
      readonly record: Row;
      /** Said to people only. */
      readonly note?: string;
      /** `false`: exit code 1, for a script that wants to know. */
      readonly fine?: boolean;
    };

/** Settings that a command may need beside those that all of them have. */
export type CommandSetting = Extract<
  SettingName,
  | 'vaultMasterKeys'
  | 'walletAGatewayName'
  | 'accessTokenKey'
  | 'fingerprintKey'
  | 'digestKey'
  | 'sandboxProcessorUrl'
  | 'processorTimeoutMs'
  | 'timeScale'
  | ProcessorSettingName
>;

/** What commands work with, opened when the first of it is used. */
export interface Tools {
  readonly provisioning: Provisioning;
  readonly database: Database;
  readonly config: KeySettings & { readonly walletAGatewayName?: string } & Partial<
      ProcessorConfig & Pick<Config, 'timeScale'>
    >;
  /** Writes down what the operator did (docs/security.md#audit). */
  record(
    entry: Pick<AuditEntry, 'action' | 'object'> & { clientId?: string; merchantId?: number; paymentId?: string },
  ): Promise<void>;
  /** Says how far a long command is; people only. */
  progress(text: string): void;
}

interface CommandWords {
  /** `['keys', 'issue']` is `./gateway keys issue`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly details?: string;
  readonly words?: readonly { readonly name: string; readonly about: string }[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly settings?: readonly CommandSetting[];
  /** Is for keys that were changed: those of its settings are not compared with what the database was used with. */
  readonly acceptsKeys?: boolean;
  /** Changes nothing: a refusal of it is not written down, and a new database is not claimed. */
  readonly reads?: boolean;
  /** What follows the program's name. */
  readonly examples: readonly string[];
}

/** One that works on the database. */
export interface WorkingCommand extends CommandWords {
  run(input: Input, tools: Tools): Promise<Result>;
}

/** One that only prints; it needs no setting. */
export interface PrintingCommand extends CommandWords {
  print(input: Input, groups: readonly CommandGroup[]): string;
}

/** One that works on what it is given; it needs no setting and no database. */
export interface AnsweringCommand extends CommandWords {
  answer(input: Input): Result;
}

/** One that looks at the installation, whatever is wrong with it: nothing is opened for it. */
export interface ExaminingCommand extends CommandWords {
  examine(input: Input, env: NodeJS.ProcessEnv): Promise<{ readonly result: Result; readonly fine: boolean }>;
}

export type Command = WorkingCommand | PrintingCommand | AnsweringCommand | ExaminingCommand;

/** Commands about one kind of thing. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

/** It was written wrongly: exit code 2. */
export class UsageError extends Error {
  constructor(
    message: string,
    /** Words whose help says how it is written. */
    readonly path: readonly string[] = [],
  ) {
    super(message);
    this.name = 'UsageError';
  }
}
