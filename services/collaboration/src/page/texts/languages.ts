import { preferredLanguage } from '@switchboard/http';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import type { PageTexts } from './texts.ts';

/** The languages that shared reports are mailed in. */
export const LANGUAGES = { en, de, fr, es, pt, it, nl, pl, ja } satisfies Record<string, PageTexts>;
export type PageLanguage = keyof typeof LANGUAGES;

/** Returns the supported language that the visitor prefers most, or English. */
export const languageOf = (acceptLanguage?: string): PageLanguage =>
  preferredLanguage(LANGUAGES, acceptLanguage);
