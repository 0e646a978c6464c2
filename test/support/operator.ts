/** The operator command line on a database of a single suite. */
import { randomBytes } from 'node:crypto';
import { run } from '../../scripts/gateway/run.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { dropDatabase } from './drop-database.js';
import { testMongoUri } from './services.js';

type Settings = Record<string, string | undefined>;

export interface Operator {
  readonly env: Readonly<Record<string, string>>;
  readonly database: Database;
  /** Runs one command. @param words separated by single spaces, or a list */
  gateway(
    words: string | readonly string[],
    more?: Settings,
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  /** Runs a command that must succeed, and returns its JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
  json(words: string | readonly string[]): Promise<any>;
  close(): Promise<void>;
}

/** @param name of the suite: part of the name of its database, which starts empty */
export async function openOperator(name: string, settings: Readonly<Record<string, string>> = {}): Promise<Operator> {
  const env = {
    GATEWAY_ENVIRONMENT: 'testing',
    API_KEY_PEPPER: randomBytes(32).toString('base64'),
    ...settings,
    MONGODB_URI: testMongoUri(name),
  };
  const database = await openDatabase(env.MONGODB_URI);
  await dropDatabase(database);
  const gateway: Operator['gateway'] = async (words, more = {}) => {
    const said = { out: '', err: '' };
    const code = await run(typeof words === 'string' ? words.split(' ') : words, {
      env: { ...env, ...more },
      out: (text) => {
        said.out += `${text}\n`;
      },
      err: (text) => {
        said.err += `${text}\n`;
      },
    });
    return { code, ...said };
  };
  return {
    env,
    database,
    gateway,
    json: async (words) => {
      const list = typeof words === 'string' ? words.split(' ') : words;
      const { code, out, err } = await gateway([...list, '--json']);
      expect([list.join(' '), code, err]).toEqual([list.join(' '), 0, '']);
      return JSON.parse(out);
    },
    close: async () => {
      await dropDatabase(database);
      await database.close();
    },
  };
}
