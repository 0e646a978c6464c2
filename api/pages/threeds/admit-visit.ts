import type { Response } from 'express';
import { limits } from '../../../config/limits.js';
import type { HandlerDeps } from '../../deps.js';
import { stateOf } from '../../http/request-state.js';

const visits = { requests: limits.challengeVisitsMax, windowSeconds: limits.challengeVisitsSeconds };

/**
 * Counts a visit of the pages between the shop and the issuer, which have a limit of their own.
 * @throws {GatewayError} `too-many-requests`
 */
export async function admitVisit({ rateLimits }: Pick<HandlerDeps, 'rateLimits'>, response: Response): Promise<void> {
  await rateLimits?.admitAddress('challengePages', visits, stateOf(response).remoteAddress);
}
