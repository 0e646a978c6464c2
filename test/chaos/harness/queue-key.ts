import { queuePrefix } from '../../../shared/queue/nudges.js';

/** A key of the queue whose work callers wait for: the server that has it is the one to take away. */
export const queueKey = (prefix: string): string => `${queuePrefix(prefix, 'processor')}:processor:wait`;
