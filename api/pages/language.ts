/** Which language a payer reads: the one chosen on the page, else what the browser asks for, else English. */
import type { Request } from 'express';
import { en, type Texts } from './texts/en.js';
import { es } from './texts/es.js';
import { pt } from './texts/pt.js';

export const languages = ['en', 'es', 'pt'] as const;
export type Language = (typeof languages)[number];

export const textsOf = { en, es, pt } as const satisfies Record<Language, Texts>;

const isLanguage = (text: unknown): text is Language => (languages as readonly unknown[]).includes(text);

/** @param request its `lang` in the query, then its `Accept-Language`. */
export function languageOf(request: Request): Language {
  const { lang } = request.query;
  if (isLanguage(lang)) return lang;
  const accepted = request.acceptsLanguages([...languages]);
  return isLanguage(accepted) ? accepted : 'en';
}
