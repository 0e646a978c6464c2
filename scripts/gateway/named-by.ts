/** Finds what a refused command was about, as far as the command line names it by ids. Pure. */
import { limits } from '../../config/limits.js';
import { defined } from '../../shared/domain/defined.js';
import { merchantIdOf } from '../../shared/domain/merchant.js';
import type { AuditEntry } from '../../shared/store/audit.repository.js';
import type { Input, WorkingCommand } from './command.js';

/** Owner of objects that belong to no client. */
export const INSTALLATION = 'installation';

/** An id of the gateway. A card number with a prefix does not match. */
const ID = /^[a-z]{3}_(?!\d{13,19}$)\w{1,32}$/;
/** Names of methods, processors, differences in the books, and settings that have a key. */
const NAMES = [
  /^[a-z][a-z\d-]{0,19}$/,
  /^[a-z\d-]{1,20}:[a-z-]{1,20}:[a-z]{3}_\w{1,32}$/,
  /^[A-Z_]{1,40}(:[\w-]{1,20})?$/,
];

/** Whether a word can be kept. Other words may be anything, even a secret or a card number in the wrong place. */
const isName = (word: string) =>
  ID.test(word) || merchantIdOf(word) !== undefined || NAMES.some((form) => form.test(word));

type AuditedObject = Pick<AuditEntry, 'clientId' | 'object' | 'merchantId' | 'paymentId'>;

/** Returns what the words name. The command was refused, so the objects need not exist. */
export function auditedObjectOf({ words = [], options = {} }: WorkingCommand, input: Input): AuditedObject {
  const client = 'client-id' in options ? input.optional('client-id') : undefined;
  const clientId = client !== undefined && ID.test(client) ? client : INSTALLATION;
  const names = words.map(({ name }) => input.word(name)).filter(isName);
  const merchantId = words.some(({ name }) => name === 'merchant') ? merchantIdOf(input.word('merchant')) : undefined;
  return {
    clientId,
    object: names.join('/').slice(0, limits.auditObjectLengthMax) || clientId,
    ...defined({ merchantId, paymentId: names.find((name) => name.startsWith('pay_')) }),
  };
}
