import { clip } from '../text.ts';
import type { Properties } from '../types.ts';
import { isElement, matches, pageAddress, privacyOf } from './privacy.ts';

type Track = (name: string, properties: Properties) => void;

const MAX_TEXT = 100;
const UTM = /^utm_[a-z]+$/;
const CLICKABLE = 'a[href],button,[role=button],input[type=submit],input[type=button],summary';
/** Elements with text that is not a label: values of inputs, and hidden content. */
const NO_LABEL =
  'textarea,select,datalist,[contenteditable]:not([contenteditable=false]),script,style,template,noscript';

export function pageProperties(): Properties {
  const campaign = [...new URLSearchParams(location.search)].filter(([name]) => UTM.test(name));
  return {
    url: pageAddress(location.href),
    path: pagePath(),
    title: document.title,
    referrer: document.referrer === '' ? null : pageAddress(document.referrer),
    ...Object.fromEntries(campaign),
  };
}

/** Returns the path of the page. Empty if the path is content, such as in a `data:` URL. */
const pagePath = () => (location.pathname.startsWith('/') ? location.pathname : '');

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

/** Tracks clicks on links and buttons, except in blocked parts. Masked parts keep their texts and URLs. */
export function watchClicks(track: Track): () => void {
  const onClick = (event: MouseEvent) => {
    const element = event.composedPath().find(isClickable);
    const privacy = element === undefined ? 'blocked' : privacyOf(element);
    if (element === undefined || privacy === 'blocked') return;
    const isLink = element instanceof HTMLAnchorElement && privacy === 'shown';
    track('element clicked', {
      tag: element.localName,
      id: element.id || null,
      text: clip(labelOf(element).trim().replace(/\s+/g, ' '), MAX_TEXT),
      href: isLink ? pageAddress(element.href) : null,
      path: pagePath(),
    });
  };
  document.addEventListener('click', onClick, { capture: true, passive: true });
  return () => document.removeEventListener('click', onClick, { capture: true });
}

const isClickable = (target: EventTarget): target is Element =>
  target instanceof Element && matches(target, CLICKABLE);

/** Returns the text of the visible parts of a node. */
function labelOf(node: Node): string {
  if (isElement(node) ? matches(node, NO_LABEL) : node.nodeType !== 3) return '';
  if (privacyOf(node) !== 'shown') return '';
  return isElement(node) ? Array.from(node.childNodes, labelOf).join('') : (node.nodeValue ?? '');
}
