/**
 * The part of a node that leaves the page.
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
 * Returns the privacy of a node, by the marks on it and on all its ancestors, including slots, hosts of shadow roots
 * and frames. A node that is not on a page counts as blocked.
 * @param masked The selector of the masked parts.
 * @param known A cache of the results for many nodes at one moment.
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

// Reads properties from prototypes, because fields of a form may have these names.
const typeOf = (node: Node): number => Reflect.get(Node.prototype, 'nodeType', node);
const parentOf = (node: Node): Node | null => Reflect.get(Node.prototype, 'parentNode', node);
const slotOf = (node: Element): Node | null => Reflect.get(Element.prototype, 'assignedSlot', node);

// Checks the type, because the classes of a frame's nodes differ from those of the page.
export const isElement = (node: Node): node is Element => typeOf(node) === 1;
const isText = (node: Node): node is Text => typeOf(node) === 3;
const isDocument = (node: Node): node is Document => typeOf(node) === 9;
const isShadowRoot = (node: Node): node is ShadowRoot => typeOf(node) === 11 && 'host' in node;

/** Returns whether a node is an element that matches the selector. */
export const matches = (node: Node, selector: string) =>
  isElement(node) && Element.prototype.matches.call(node, selector);

const isPage = (node: Node) => isDocument(node) && node.defaultView !== null;

/** Returns the node in which a node is drawn. A slot leads to the host, which is the parent. */
function around(node: Node): Node | null {
  const slot = isElement(node) ? slotOf(node) : isText(node) ? node.assignedSlot : null;
  if (slot !== null) return slot;
  if (isShadowRoot(node)) return node.host;
  if (isDocument(node)) return node.defaultView?.frameElement ?? null;
  return parentOf(node);
}
