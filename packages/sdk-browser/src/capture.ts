import type { Properties } from './types.ts';

type Track = (name: string, properties: Properties) => void;

const MAX_TEXT = 100;
const UTM = /^utm_[a-z]+$/;

/** An address without its query and fragment, which may hold personal data. */
function bare(address: string): string {
  try {
    const { origin, pathname } = new URL(address, location.href);
    return `${origin === 'null' ? '' : origin}${pathname}`;
  } catch {
    return '';
  }
}

export function pageProperties(): Properties {
  const campaign = [...new URLSearchParams(location.search)].filter(([name]) => UTM.test(name));
  return {
    url: bare(location.href),
    path: location.pathname,
    title: document.title,
    referrer: document.referrer === '' ? null : bare(document.referrer),
    ...Object.fromEntries(campaign),
  };
}

/** Calls back whenever the path changes. Returns a function that ends it. */
export function watchPath(onChange: () => void): () => void {
  let path = location.pathname;
  const check = () => {
    if (location.pathname === path) return;
    path = location.pathname;
    onChange();
  };
  // A browser without the Navigation API tells only of steps back and forth.
  const timer = 'navigation' in window ? undefined : setInterval(check, 500);
  const target: EventTarget = 'navigation' in window ? window.navigation : window;
  const name = 'navigation' in window ? 'currententrychange' : 'popstate';
  target.addEventListener(name, check);
  return () => {
    clearInterval(timer);
    target.removeEventListener(name, check);
  };
}

/** Tracks clicks on links and buttons, but not inside `data-switchboard-block`. */
export function watchClicks(track: Track): () => void {
  const onClick = (event: MouseEvent) => {
    const target = event.composedPath()[0];
    if (!(target instanceof Element) || target.closest('[data-switchboard-block]') !== null) return;
    const element = target.closest(
      'a[href],button,[role=button],input[type=submit],input[type=button],summary',
    );
    if (element === null) return;
    const href = element instanceof HTMLAnchorElement ? bare(element.href) : null;
    // Text that the page marks as private stays out, as do values of inputs.
    const isPrivate =
      element.closest('[data-switchboard-mask]') !== null || element instanceof HTMLInputElement;
    const text = isPrivate ? '' : (element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, MAX_TEXT);
    track('element clicked', {
      tag: element.localName,
      id: element.id || null,
      text,
      href,
      path: location.pathname,
    });
  };
  document.addEventListener('click', onClick, { capture: true, passive: true });
  return () => document.removeEventListener('click', onClick, { capture: true });
}
