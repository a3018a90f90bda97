import { describe, expect, it } from 'vitest';
import { createBots } from './bots.ts';

const chrome = (version: number) =>
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;
const GOOGLEBOT =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/142.0.0.0 Safari/537.36';

describe('a user agent', () => {
  it.each([
    [GOOGLEBOT, true],
    [
      'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0 Safari/537.36',
      true,
    ],
    [chrome(142), false],
    [chrome(142).replace('Chrome', 'HeadlessChrome'), false],
    [GOOGLEBOT.replace('Chrome', 'HeadlessChrome'), true],
    // Servers and scripts that send events of their own.
    ['node', false],
    ['curl/8.14.1', false],
    ['python-requests/2.32', false],
    ['', false],
    [undefined, false],
  ])('%s is that of a bot: %s', (userAgent, expected) => {
    const isBot = createBots();
    expect([isBot(userAgent), isBot(userAgent)]).toEqual([expected, expected]);
  });

  it('is recognized when it is long, and after many others', () => {
    const isBot = createBots();
    for (let version = 0; version < 5_000; version++) expect(isBot(chrome(version))).toBe(false);
    expect(isBot(GOOGLEBOT)).toBe(true);
    expect(isBot(`${GOOGLEBOT} ${'x'.repeat(10_000)}`)).toBe(true);
  });
});
