import { AsyncLocalStorage } from 'node:async_hooks';
import { preferredLanguage } from '@switchboard/http';
import type { MiddlewareHandler } from 'hono';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';

/** The languages of the pages and e-mails: those that shared reports are mailed in. */
export const LANGUAGES = { en, de, fr, es, pt, it, nl, pl, ja } satisfies Record<string, Texts>;
export type Language = keyof typeof LANGUAGES;

/** The language of the request: the pages of the OpenID provider are rendered by its own code. */
const requested = new AsyncLocalStorage<Language>();

/** Handles a request in the language that its browser prefers. */
export const inRequestedLanguage: MiddlewareHandler = (c, next) =>
  withLanguageOf(c.req.header('accept-language'), next);

/** Does work in the language that the header Accept-Language prefers. */
export const withLanguageOf = <T>(acceptLanguage: string | undefined, work: () => T): T =>
  requested.run(preferredLanguage(LANGUAGES, acceptLanguage), work);

/** Returns the language of the current request, otherwise English. */
export const currentLanguage = (): Language => requested.getStore() ?? 'en';

/** Returns the texts in the language of the current request. */
export const textsOf = (): Texts => LANGUAGES[currentLanguage()];
