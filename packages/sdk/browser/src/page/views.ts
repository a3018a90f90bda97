import type { Properties } from '../types.ts';
import { pageAddress, pagePath } from './address.ts';
import { browserOf, deviceOf, userAgent } from './device.ts';

const UTM = /^utm_[a-z]+$/;

/** Returns what a page view says of the page, of what led to it, and of the device. Nothing is stored for it. */
export function pageProperties(): Properties {
  const agent = userAgent(navigator);
  const campaign = [...new URLSearchParams(location.search)].filter(([name]) => UTM.test(name));
  return {
    url: pageAddress(location.href),
    path: pagePath(),
    title: document.title,
    referrer: referrerHost(),
    browser: browserOf(agent),
    device: deviceOf(agent),
    screen: `${screen.width}x${screen.height}`,
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...Object.fromEntries(campaign),
  };
}

/** Returns the host of the page that led here, without `www.`. Null if it is unknown or a page of this site. */
function referrerHost(): string | null {
  const host = URL.canParse(document.referrer) ? new URL(document.referrer).host : location.host;
  return host === location.host ? null : host.replace(/^www\./, '');
}

/** Calls `onChange` when the path changes. Returns a function that stops it. */
export function watchPath(onChange: () => void): () => void {
  let path = location.pathname;
  const check = () => {
    if (location.pathname === path) return;
    path = location.pathname;
    onChange();
  };
  // Without the Navigation API, a browser reports only back and forward navigation.
  const timer = 'navigation' in window ? undefined : setInterval(check, 500);
  const target: EventTarget = 'navigation' in window ? window.navigation : window;
  const name = 'navigation' in window ? 'currententrychange' : 'popstate';
  target.addEventListener(name, check);
  return () => {
    clearInterval(timer);
    target.removeEventListener(name, check);
  };
}
