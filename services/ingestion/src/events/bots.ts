import { isbot } from 'isbot';

/** The start of the user agents of browsers, and of the bots that run a page's scripts. */
const BROWSER = 'Mozilla/';
/** A longer user agent is not kept. */
const MAX_KEPT_LENGTH = 300;
const MAX_KEPT = 2_000;

/** Headless Chrome runs the tests of a site as well as scrapers, so it counts as Chrome. */
const isKnownBot = (userAgent: string) => isbot(userAgent.replace('HeadlessChrome', 'Chrome'));

/**
 * Returns a function that tells whether a user agent is that of a known bot that runs the scripts of pages. Servers and
 * scripts that send their own events are not bots.
 */
export function createBots(): (userAgent: string | undefined) => boolean {
  // Few browsers send most events. Testing a user agent takes as long as a small batch.
  const known = new Map<string, boolean>();
  return (userAgent = '') => {
    if (!userAgent.startsWith(BROWSER)) return false;
    if (userAgent.length > MAX_KEPT_LENGTH) return isKnownBot(userAgent.slice(0, MAX_KEPT_LENGTH));
    const before = known.get(userAgent);
    if (before !== undefined) return before;
    if (known.size >= MAX_KEPT) known.clear();
    const isBot = isKnownBot(userAgent);
    known.set(userAgent, isBot);
    return isBot;
  };
}
