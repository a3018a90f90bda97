import { type Fields, known, textOf } from './fields.ts';

/** The event that our browser SDK sends for a page view. */
export const PAGE_VIEWED = 'page viewed';

/** Returns a URL without its query and fragment, which may contain personal data. */
export function addressOf(url: unknown): string | undefined {
  const text = textOf(url);
  if (text === undefined || !URL.canParse(text)) return undefined;
  const { origin, pathname, protocol } = new URL(text);
  return /^https?:/.test(protocol) ? origin + pathname : protocol;
}

/** Returns the host of the page that led to a page, without `www.`. Null if it is unknown or a page of the site. */
export function referrerOf(referrer: unknown, url: unknown): string | null {
  const from = hostOf(referrer);
  return from === undefined || from === hostOf(url) ? null : from.replace(/^www\./, '');
}

function hostOf(url: unknown): string | undefined {
  const text = textOf(url);
  return text !== undefined && URL.canParse(text) ? new URL(text).host || undefined : undefined;
}

/** The pages of an event, as other products name them. */
interface Page {
  url?: unknown;
  path?: unknown;
  title?: unknown;
  referrer?: unknown;
}

/** Returns the properties of a page that our browser SDK sends. */
export function pageOf({ url, path, title, referrer }: Page): Fields {
  return known({
    url: addressOf(url),
    path: textOf(path)?.replace(/[?#].*$/s, ''),
    title: textOf(title),
    ...((url !== undefined || referrer !== undefined) && { referrer: referrerOf(referrer, url) }),
    ...campaignOf(url),
  });
}

function campaignOf(url: unknown): Fields {
  const text = textOf(url);
  if (text === undefined || !URL.canParse(text)) return {};
  return Object.fromEntries([...new URL(text).searchParams].filter(([name]) => /^utm_[a-z]+$/.test(name)));
}
