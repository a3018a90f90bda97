import { clip } from '../text.ts';
import type { Properties } from '../types.ts';
import { pageAddress, pagePath } from './address.ts';
import { isElement, matches, privacyOf } from './privacy.ts';

const MAX_TEXT = 100;
const CLICKABLE = 'a[href],button,[role=button],input[type=submit],input[type=button],summary';
/** Elements with text that is not a label: values of inputs, and hidden content. */
const NO_LABEL =
  'textarea,select,datalist,[contenteditable]:not([contenteditable=false]),script,style,template,noscript';

/**
 * Returns the properties of a click on a link or button, by the path of the event. Undefined for other clicks, and in
 * blocked parts. Masked parts keep their texts and URLs.
 */
export function clickOf(path: readonly EventTarget[]): Properties | undefined {
  const element = path.find(isClickable);
  const privacy = element === undefined ? 'blocked' : privacyOf(element);
  if (element === undefined || privacy === 'blocked') return undefined;
  const isLink = element instanceof HTMLAnchorElement && privacy === 'shown';
  return {
    tag: element.localName,
    id: element.id || null,
    text: clip(labelOf(element).trim().replace(/\s+/g, ' '), MAX_TEXT),
    href: isLink ? pageAddress(element.href) : null,
    path: pagePath(),
  };
}

const isClickable = (target: EventTarget): target is Element =>
  target instanceof Element && matches(target, CLICKABLE);

/** Returns the text of the visible parts of a node. */
function labelOf(node: Node): string {
  if (isElement(node) ? matches(node, NO_LABEL) : node.nodeType !== 3) return '';
  if (privacyOf(node) !== 'shown') return '';
  return isElement(node) ? Array.from(node.childNodes, labelOf).join('') : (node.nodeValue ?? '');
}
