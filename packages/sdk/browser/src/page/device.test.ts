import { expect, it } from 'vitest';
import { browserOf, deviceOf, systemOf, userAgent } from './device.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const SAFARI = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

it.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`,
    0,
    'Chrome',
    'Windows',
    'desktop',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    10,
    'Edge',
    'Windows',
    'desktop',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} Version/26.0 Safari/605.1.15`,
    0,
    'Safari',
    'macOS',
    'desktop',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} Version/26.0 Safari/605.1.15`,
    5,
    'Safari',
    'iOS',
    'tablet',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${SAFARI} Version/26.0 Mobile/15E148 Safari/604.1`,
    5,
    'Safari',
    'iOS',
    'mobile',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${SAFARI} CriOS/142.0.0.0 Mobile/15E148 Safari/604.1`,
    5,
    'Chrome',
    'iOS',
    'mobile',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    0,
    'Firefox',
    'Linux',
    'desktop',
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`,
    0,
    'Chrome',
    'Chrome OS',
    'desktop',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/142.0.0.0 Mobile Safari/537.36`,
    5,
    'Chrome',
    'Android',
    'mobile',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} SamsungBrowser/29.0 Chrome/136.0.0.0 Safari/537.36`,
    5,
    'Samsung Internet',
    'Android',
    'tablet',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 OPR/124.0.0.0`,
    0,
    'Opera',
    'Windows',
    'desktop',
  ],
  ['something new', 0, null, null, 'desktop'],
])(
  'names the browser, the system and the device of %s with %i touch points',
  (text, maxTouchPoints, ...names) => {
    const agent = userAgent({ userAgent: text, maxTouchPoints });
    expect([browserOf(agent), systemOf(agent), deviceOf(agent)]).toEqual(names);
  },
);
