import { parseAccept } from 'hono/utils/accept';

const MAX_HEADER = 1_000;

/** Returns the one of these languages that an `Accept-Language` header prefers most, or English. */
export function preferredLanguage<L extends string>(
  languages: Readonly<Record<L | 'en', unknown>>,
  acceptLanguage = '',
): L | 'en' {
  const isLanguage = (tag: string): tag is L => Object.hasOwn(languages, tag);
  for (const { type, q } of parseAccept(acceptLanguage.slice(0, MAX_HEADER))) {
    const primary = type.split('-')[0]?.trim().toLowerCase() ?? '';
    if (q > 0 && isLanguage(primary)) return primary;
  }
  return 'en';
}
