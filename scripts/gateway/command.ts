/** A command of the operator command line is one object, from which its syntax, its help and its action derive. */
import type { Config } from '../../config/index.js';
import type { ProcessorSettingName } from '../../config/processor-settings.js';
import type { SettingName } from '../../config/schema.js';
import type { ProcessorConfig } from '../../shared/processors/registry.js';
import type { AuditEntry } from '../../shared/store/audit.repository.js';
import type { Database } from '../../shared/store/database.js';
import type { KeySettings } from '../../shared/store/key-checks.repository.js';
import type { Provisioning } from '../provisioning/provisioning.js';

export interface Option {
  /** Placeholder of the option's value in the help: `<client>`. Absent: a switch. */
  readonly value?: string;
  readonly about: string;
  readonly required?: boolean;
  /** The option may be given more than once, or as a list with commas. */
  readonly multiple?: boolean;
  readonly default?: string;
}

/** The words and options of a command line. Names are those that the command declares. */
export interface Input {
  /** Returns the word in the position of this name. */
  word(name: string): string;
  /** Returns an option that is required or has a default. */
  text(name: string): string;
  optional(name: string): string | undefined;
  list(name: string): readonly string[];
  flag(name: string): boolean;
}

/** JSON answer for scripts. A field may also be a list of rows. */
export type Answer = Readonly<Record<string, Cell | readonly Row[]>>;

export type Cell = string | number | boolean | Date | null | undefined | readonly (string | number)[];
export type Row = Readonly<Record<string, Cell>>;

/** A list that was cut. */
export interface More {
  /** Says how much is shown, and how to go on. */
  readonly sentence: string;
  /** Value for `--after` to go on, when the command has that option. */
  readonly after?: string;
}

/** Result of a command: printed as a table or as lines for people, as JSON for scripts. */
export type Result =
  /** People get `text`, scripts the rows or the object. */
  | {
      readonly kind: 'report';
      readonly answer: readonly Row[] | Answer;
      readonly text: string;
      /** `false`: exit code 1, for scripts that check the result. */
      readonly fine?: boolean;
    }
  | {
      readonly kind: 'rows';
      readonly rows: readonly Row[];
      /** Printed when there are no rows. */
      readonly empty: string;
      /** Present when the list goes on. Printed on standard error, so that the rows for scripts stay unchanged. */
      readonly more?: More | undefined;
    }
  | {
      readonly kind: 'record';
      /** One sentence that says what was done. */
      readonly done: string;
      readonly record: Row;
      /** Printed for people only. */
      readonly note?: string;
      /** `false`: exit code 1, for scripts that check the result. */
      readonly fine?: boolean;
    };

/** Settings that a command may need beside those that all commands have. */
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

/** Dependencies of commands. They are opened when the first of them is used. */
export interface Tools {
  readonly provisioning: Provisioning;
  readonly database: Database;
  readonly config: KeySettings & { readonly walletAGatewayName?: string } & Partial<
      ProcessorConfig & Pick<Config, 'timeScale'>
    >;
  /** Records in the audit what the operator did (docs/security.md#audit). */
  record(
    entry: Pick<AuditEntry, 'action' | 'object'> & { clientId?: string; merchantId?: number; paymentId?: string },
  ): Promise<void>;
  /** Prints the progress of a long command, for people only. */
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
  /** The command handles changed keys: the keys in its settings are not compared with those that the database was used with. */
  readonly acceptsKeys?: boolean;
  /** The command changes nothing: its refusals are not recorded, and it does not claim a new database. */
  readonly reads?: boolean;
  /** Arguments, without the program's name. */
  readonly examples: readonly string[];
}

/** A command that works on the database. */
export interface WorkingCommand extends CommandWords {
  run(input: Input, tools: Tools): Promise<Result>;
}

/** A command that only prints. It needs no setting. */
export interface PrintingCommand extends CommandWords {
  print(input: Input, groups: readonly CommandGroup[]): string;
}

/** A command that works only on its input. It needs no setting and no database. */
export interface AnsweringCommand extends CommandWords {
  answer(input: Input): Result;
}

/** A command that examines the installation, even a broken one: nothing is opened beforehand. */
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

/** The command line is malformed: exit code 2. */
export class UsageError extends Error {
  constructor(
    message: string,
    /** Words of the command whose help explains the right form. */
    readonly path: readonly string[] = [],
  ) {
    super(message);
    this.name = 'UsageError';
  }
}
