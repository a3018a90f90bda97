import type { MailLanguage } from '@switchboard/contracts';
import { preferredLanguage } from '@switchboard/http';
import { type MailTexts, mailTexts } from './texts.ts';

/** Returns the language of mails that fits an `Accept-Language` header, a tag or a list of tags best, or English. */
export const mailLanguage = (preferred: string): MailLanguage => preferredLanguage(mailTexts, preferred);

/** Returns the texts of the language that `mailLanguage` chooses. */
export const textsIn = (preferred: string): MailTexts => mailTexts[mailLanguage(preferred)];
