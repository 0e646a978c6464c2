/** What a command that was not done was about: as far as its line names it by ids. Pure. */
import { limits } from '../../config/limits.js';
import { defined } from '../../shared/domain/defined.js';
import { merchantIdOf } from '../../shared/domain/merchant.js';
import type { AuditEntry } from '../../shared/store/audit.repository.js';
import type { Input, WorkingCommand } from './command.js';

/** Whose object it is when it is no client's. */
export const INSTALLATION = 'installation';

/** An id of the gateway; a card number with a prefix is none. */
const ID = /^[a-z]{3}_(?!\d{13,19}$)\w{1,32}$/;
/** Methods, processors, differences in the books, and settings that have a key. */
const NAMES = [
  /^[a-z][a-z\d-]{0,19}$/,
  /^[a-z\d-]{1,20}:[a-z-]{1,20}:[a-z]{3}_\w{1,32}$/,
  /^[A-Z_]{1,40}(:[\w-]{1,20})?$/,
];

/** A word may be anything, as a secret or a card number that was put in the wrong place: what has no such form is not kept. */
const isName = (word: string) =>
  ID.test(word) || merchantIdOf(word) !== undefined || NAMES.some((form) => form.test(word));

type Named = Pick<AuditEntry, 'clientId' | 'object' | 'merchantId' | 'paymentId'>;

/** It was refused: nothing says that there is what it names. */
export function namedBy({ words = [], options = {} }: WorkingCommand, input: Input): Named {
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
