/**
 * The name on a card over a failed attempt: the browser keeps it for this one page, until it is closed. With us it
 * is sealed with the card, and is opened for the acquirer only.
 */

import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import { limits } from '../../../config/limits.js';
import { mayHoldNumber } from '../../payments/numbers-in-text.js';

const NAME = 'gateway-name';

/**
 * Where the number of the card was typed as the name, nothing is kept.
 * @param path of the page: the cookie is sent nowhere else.
 */
export function keepName(response: Response, path: string, secure: boolean, name: string | undefined): void {
  const value = name === undefined || mayHoldNumber(name) ? '' : name.slice(0, limits.keptNameLengthMax);
  response.append(
    'Set-Cookie',
    stringifySetCookie({ name: NAME, value, path, httpOnly: true, secure, sameSite: 'lax' }),
  );
}

/** The name that the browser kept. */
export const keptName = (request: Request): string | undefined =>
  parseCookie(request.headers.cookie ?? '')[NAME]?.slice(0, limits.keptNameLengthMax) || undefined;
