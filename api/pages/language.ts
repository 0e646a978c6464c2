/** The language of a payer: the one chosen on a page, else what the browser asks for, else English. */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import { en, type Texts } from './texts/en.js';
import { es } from './texts/es.js';
import { pt } from './texts/pt.js';

export const languages = ['en', 'es', 'pt'] as const;
export type Language = (typeof languages)[number];

export const textsOf = { en, es, pt } as const satisfies Record<Language, Texts>;

const isLanguage = (text: unknown): text is Language => (languages as readonly unknown[]).includes(text);

const COOKIE = 'pages-language';

/** Returns the language that the payer chose: `lang` in the query of this request or of an earlier one. Undefined without a choice. */
export function chosenLanguage({ query: { lang }, headers }: Request): Language | undefined {
  const kept = isLanguage(lang) ? lang : parseCookie(headers.cookie ?? '')[COOKIE];
  return isLanguage(kept) ? kept : undefined;
}

/**
 * Stores the chosen language in a cookie until the browser is closed: some addresses on the payer's way, from a link to the checkout,
 * to the issuer and back, do not contain it.
 */
export function keepLanguage({ query: { lang } }: Request, response: Response, secure: boolean): void {
  if (!isLanguage(lang)) return;
  const bounds = { path: '/', httpOnly: true, secure, sameSite: 'lax' } as const;
  response.append('Set-Cookie', stringifySetCookie({ name: COOKIE, value: lang, ...bounds }));
}

/** @param request its `lang` in the query counts first, then an earlier choice, then its `Accept-Language`. */
export function languageOf(request: Request): Language {
  const chosen = chosenLanguage(request);
  if (chosen) return chosen;
  const accepted = request.acceptsLanguages([...languages]);
  return isLanguage(accepted) ? accepted : 'en';
}
