import { queuePrefix } from '../../../shared/queue/nudges.js';

/** Returns a key of the queue with the work that callers wait for. The server that has it is the one to take away. */
export const queueKey = (prefix: string): string => `${queuePrefix(prefix, 'processor')}:processor:wait`;
