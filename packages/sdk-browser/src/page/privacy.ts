/**
 * How much of a node leaves the page.
 *
 * - `shown`: everything
 * - `masked`: its shape, without its text
 * - `blocked`: nothing
 */
export type Privacy = 'shown' | 'masked' | 'blocked';

/** Parts that the page marks as blocked, and the support messenger. */
export const BLOCKED = '[data-switchboard-block],switchboard-messenger';
/** Parts that the page marks as masked. */
export const MASKED = '[data-switchboard-mask]';

/**
 * How much of a node leaves the page, by the marks on it and on everything around it: slots, hosts of shadow roots and
 * frames included. A node that is on no page counts as blocked.
 * @param masked The selector of what is masked.
 * @param known Answers so far, for many nodes at one moment.
 */
export function privacyOf(node: Node, masked = MASKED, known = new Map<Node, Privacy>()): Privacy {
  const before = known.get(node);
  if (before !== undefined) return before;
  const parent = around(node);
  const outer = parent !== null ? privacyOf(parent, masked, known) : isPage(node) ? 'shown' : 'blocked';
  const privacy =
    outer === 'blocked' || matches(node, BLOCKED)
      ? 'blocked'
      : outer === 'masked' || matches(node, masked)
        ? 'masked'
        : 'shown';
  known.set(node, privacy);
  return privacy;
}

// Properties come from prototypes: those of a form may be fields of that name.
const typeOf = (node: Node): number => Reflect.get(Node.prototype, 'nodeType', node);
const parentOf = (node: Node): Node | null => Reflect.get(Node.prototype, 'parentNode', node);
const slotOf = (node: Element): Node | null => Reflect.get(Element.prototype, 'assignedSlot', node);

// By type, since the classes of a frame's nodes are others than the page's.
export const isElement = (node: Node): node is Element => typeOf(node) === 1;
const isText = (node: Node): node is Text => typeOf(node) === 3;
const isDocument = (node: Node): node is Document => typeOf(node) === 9;
const isShadowRoot = (node: Node): node is ShadowRoot => typeOf(node) === 11 && 'host' in node;

/** Whether a node is an element that the selector selects. */
export const matches = (node: Node, selector: string) =>
  isElement(node) && Element.prototype.matches.call(node, selector);

const isPage = (node: Node) => isDocument(node) && node.defaultView !== null;

/** What a node is drawn in. Through a slot it leads to the host, which is the parent. */
function around(node: Node): Node | null {
  const slot = isElement(node) ? slotOf(node) : isText(node) ? node.assignedSlot : null;
  if (slot !== null) return slot;
  if (isShadowRoot(node)) return node.host;
  if (isDocument(node)) return node.defaultView?.frameElement ?? null;
  return parentOf(node);
}

/** The address of a page without its query and fragment, which may hold personal data. Of others the scheme alone. */
export function pageAddress(address: string): string {
  try {
    const { origin, pathname, protocol } = new URL(address, location.href);
    return /^https?:/.test(protocol) ? origin + pathname : protocol;
  } catch {
    return '';
  }
}
