/**
 * The name on a card after a failed attempt: a cookie for this one page keeps it until the browser is closed. We store the name only
 * sealed with the card, and open it only for the acquirer.
 */

import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import { limits } from '../../../config/limits.js';
import { mayHoldNumber } from '../../payments/numbers-in-text.js';

const NAME = 'gateway-name';

/** Shortens a name, and never to half of a character outside of the basic plane: no cookie can hold that. */
const shortened = (name: string): string => name.slice(0, limits.keptNameLengthMax).replace(/\p{Cs}$/u, '');

/**
 * Stores the typed name in a cookie. Stores nothing when the payer typed the card number as the name.
 * @param path of the page: the cookie is sent nowhere else.
 */
export function keepName(response: Response, path: string, secure: boolean, name: string | undefined): void {
  const value = name === undefined || mayHoldNumber(name) ? '' : shortened(name);
  response.append(
    'Set-Cookie',
    stringifySetCookie({ name: NAME, value, path, httpOnly: true, secure, sameSite: 'lax' }),
  );
}

/** Returns the name from the cookie. */
export const keptName = (request: Request): string | undefined =>
  shortened(parseCookie(request.headers.cookie ?? '')[NAME] ?? '') || undefined;
