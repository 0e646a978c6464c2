/**
 * Hands each merchant's credentials to the adapters that name them, with every request. They are opened from the vault and kept
 * in memory for some seconds; what cannot be opened is not sent.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../config/limits.js';
import type { Processor, ProcessorMerchant } from '../../shared/processors/processor.js';
import {
  credentialsBinding,
  type ProcessorCredentialsRepository,
} from '../../shared/store/processor-credentials.repository.js';
import type { Vault } from '../../shared/vault/vault.js';

interface Deps {
  readonly credentials: Pick<ProcessorCredentialsRepository, 'find'>;
  readonly vault: Pick<Vault, 'open'>;
}

type Credentials = NonNullable<ProcessorMerchant['credentials']>;
/** `undefined`: it has none, and needs none. */
type Load = (merchantId: number) => Promise<Credentials | undefined>;

function loader(
  { credentials, vault }: Deps,
  { code, merchantCredentials = [], merchantCredentialsOptional }: Processor,
): Load {
  const known = new LRUCache<number, Credentials>({
    max: limits.processorCredentialsCached,
    ttl: limits.processorCredentialsMs,
  });
  return async (merchantId) => {
    const remembered = known.get(merchantId);
    if (remembered) return remembered;
    const row = await credentials.find(merchantId, code);
    if (!row && merchantCredentialsOptional) return undefined;
    if (!row) throw new Error(`merchant ${merchantId} has no credentials at ${code}`);
    const opened = JSON.parse((await vault.open(row.sealed, credentialsBinding(row))).toString('utf8')) as Credentials;
    const missing = merchantCredentials.filter((name) => opened[name] === undefined);
    if (missing.length > 0)
      throw new Error(`merchant ${merchantId} lacks credentials at ${code}: ${missing.join(', ')}`);
    known.set(merchantId, opened);
    return opened;
  };
}

interface Request {
  readonly merchant: ProcessorMerchant;
}

/** The message names merchant, processor and names of credentials, never a value. */
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : 'the credentials could not be opened');

/** The adapter as it is where it names no credentials. */
export function withCredentials(deps: Deps, processor: Processor): Processor {
  if (!processor.merchantCredentials?.length) return processor;
  const load = loader(deps, processor);

  function given<R extends Request, A>(
    operation: (request: R) => Promise<A>,
    failure: 'not-sent' | 'no-answer',
  ): (request: R) => Promise<A> {
    return async (request) => {
      let credentials: Credentials | undefined;
      try {
        credentials = await load(request.merchant.id);
      } catch (error) {
        return { kind: failure, internal: reasonOf(error) } as A;
      }
      if (credentials === undefined) return operation.call(processor, request);
      return operation.call(processor, { ...request, merchant: { ...request.merchant, credentials } });
    };
  }

  const { capture, cancel, refund, verify, issueCode, findTransfers } = processor;
  return {
    ...processor,
    authorize: given(processor.authorize, 'not-sent'),
    inquire: given(processor.inquire, 'no-answer'),
    reverse: given(processor.reverse, 'no-answer'),
    ...(capture && { capture: given(capture, 'not-sent') }),
    ...(cancel && { cancel: given(cancel, 'not-sent') }),
    ...(refund && { refund: given(refund, 'not-sent') }),
    ...(verify && { verify: given(verify, 'not-sent') }),
    ...(issueCode && { issueCode: given(issueCode, 'not-sent') }),
    ...(findTransfers && { findTransfers: given(findTransfers, 'no-answer') }),
  };
}
