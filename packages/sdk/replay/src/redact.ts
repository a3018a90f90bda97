import { record } from '@rrweb/record';
import type {
  adoptedStyleSheetParam,
  attributeMutation,
  eventWithTime,
  incrementalData,
  serializedElementNodeWithId,
  serializedNodeWithId,
} from '@rrweb/types';
import { pageAddress } from '@switchboard/browser/address';
import { isElement, MASKED, type Privacy, privacyOf } from '@switchboard/browser/privacy';

interface RedactOptions {
  masked: boolean;
  maskText: boolean;
}

type Sheet = NonNullable<adoptedStyleSheetParam['styles']>[number];
type Value = attributeMutation['attributes'][string] | number | true;

/** Attributes that affect only the layout of a masked part and contain no content. */
const LAYOUT = new Set(
  `align border cellpadding cellspacing class clip-path clip-rule cols colspan controls cx cy d dir disabled
  dominant-baseline dx dy fill fill-opacity fill-rule filter font-size font-style font-weight fx fy
  gradientTransform gradientUnits height hidden id lang marker-end marker-mid marker-start mask maxlength media
  multiple offset opacity open part patternTransform patternUnits points preserveAspectRatio r readonly rel rows
  rowspan rx ry size slot span stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap
  stroke-linejoin stroke-opacity stroke-width text-anchor transform type valign version viewBox width wrap x x1 x2 y
  y1 y2`.split(/\s+/),
);
/** Inputs with a value that is a label. */
const LABELLED = ['button', 'submit', 'reset'];
/** Inputs with a value that the visitor does not see. */
const UNSEEN = ['hidden', 'file'];
const PICTURES = ['img', 'video', 'embed', 'object'];

/**
 * Creates a function that removes from an event of rrweb the content that must not leave the page. Every event passes
 * through it, so that this applies to every kind of change: rrweb's own masks do not cover shadow roots and frames.
 * @returns a function that changes the event in place, and returns whether anything of it is left.
 */
export function createRedact({ masked, maskText }: RedactOptions): (event: eventWithTime) => boolean {
  // Editable content that a visitor writes is treated as an input, in any element.
  const fields = masked ? ',[contenteditable]:not([contenteditable=false])' : '';
  const selector = maskText ? '*' : MASKED + fields;
  /** Ids of style sheets without an element that a masked part uses. */
  const maskedSheets = new Set<number>();
  /** The style sheets that only blocked parts use, in case another part uses them later. */
  const blockedSheets = new Map<number, Sheet>();

  return (event) => {
    const known = new Map<Node, Privacy>();
    const liveOf = (id: number | undefined) => (id === undefined ? null : record.mirror.getNode(id));
    const privacy = (node: Node | null) => (node === null ? 'blocked' : privacyOf(node, selector, known));
    const isLeft = (id: number) => privacy(liveOf(id)) !== 'blocked';

    function redactNode(node: serializedNodeWithId): boolean {
      const live = liveOf(node.id);
      const level = privacy(live);
      if (live === null || node.type === 5) return false;
      if (node.type === 3) node.textContent = redactText(live, node.textContent) ?? '';
      if (node.type === 2 && isElement(live)) {
        if (level === 'blocked') block(node, live);
        else Object.assign(node, { attributes: redactAttributes(live, node.attributes) });
      } else if (level === 'blocked') return node.type === 3;
      if ('childNodes' in node) node.childNodes = node.childNodes.filter(redactNode);
      return true;
    }

    function redactText(live: Node, text: string | null): string | null {
      const level = privacy(live);
      const { parentNode } = live;
      if (text === null || level === 'blocked') return '';
      if (parentNode?.nodeName.toLowerCase() === 'style') {
        const css = withoutQuery(live, text);
        return level === 'masked' ? maskCss(css) : css;
      }
      const isValue = masked && parentNode?.nodeName === 'TEXTAREA';
      return level === 'masked' || isValue ? stars(text) : text;
    }

    function redactAttributes(live: Element, attributes: Record<string, Value>): Record<string, Value> {
      const isMasked = privacy(live) === 'masked';
      const kept = Object.entries(attributes).flatMap(([name, value]) => {
        // null means that the attribute was removed.
        const left = value === null ? null : redactAttribute(live, name, value, isMasked);
        return left === undefined ? [] : [[name, left] as const];
      });
      const box = isMasked && PICTURES.includes(live.localName) ? boxOf(live) : {};
      return { ...Object.fromEntries(kept), ...box };
    }

    function redactAttribute(
      live: Element,
      name: string,
      value: Value,
      isMasked: boolean,
    ): Value | undefined {
      // The document of a frame is recorded separately.
      if (name === 'srcdoc') return undefined;
      if (name === 'value' && ['input', 'textarea', 'select'].includes(live.localName)) {
        const type = typeOf(live);
        if (UNSEEN.includes(type)) return undefined;
        const isShown = !isMasked && (!masked || LABELLED.includes(type)) && type !== 'password';
        return isShown ? value : stars(String(value));
      }
      if (name === 'selected' && masked) return undefined;
      if (isMasked) return maskAttribute(live, name, value);
      if (name === 'rr_src') return pageAddress(String(value));
      return typeof value === 'string' ? withoutQuery(live, value) : value;
    }

    const sheetPrivacy = (id: number): Privacy =>
      blockedSheets.has(id) ? 'blocked' : maskedSheets.has(id) ? 'masked' : 'shown';

    function redactChange(data: incrementalData): boolean {
      switch (data.source) {
        case 0: {
          const { adds, attributes, removes, texts } = data;
          data.adds = adds.filter(({ parentId, node }) => isLeft(parentId) && redactNode(node));
          data.removes = removes.filter(({ parentId }) => liveOf(parentId) === null || isLeft(parentId));
          data.texts = texts.filter((text) => {
            const live = liveOf(text.id);
            if (live !== null) text.value = redactText(live, text.value);
            return isLeft(text.id);
          });
          data.attributes = attributes.filter((change) => {
            const live = liveOf(change.id);
            if (live === null || !isElement(live) || !isLeft(change.id)) return false;
            Object.assign(change, { attributes: redactAttributes(live, change.attributes) });
            return Object.keys(change.attributes).length > 0;
          });
          return [data.adds, data.removes, data.texts, data.attributes].some(({ length }) => length > 0);
        }
        case 1:
        case 6:
        case 12:
          data.positions = data.positions.filter(({ id }) => isLeft(id));
          return data.positions.length > 0;
        case 2:
        case 3:
        case 7:
          return isLeft(data.id);
        case 5: {
          const live = liveOf(data.id);
          if (live === null || !isElement(live) || !isLeft(data.id) || UNSEEN.includes(typeOf(live)))
            return false;
          const isMasked = privacy(live) === 'masked';
          if (masked || isMasked || typeOf(live) === 'password') data.text = stars(data.text);
          // The checked state reveals as much as the value.
          return !(isMasked && ['checkbox', 'radio'].includes(typeOf(live)));
        }
        case 8:
        case 13: {
          const level = data.styleId === undefined ? privacy(liveOf(data.id)) : sheetPrivacy(data.styleId);
          if (level === 'blocked') return false;
          if (level === 'shown') return true;
          if (data.source === 13) {
            if (data.set?.value) data.set.value = maskCss(data.set.value);
            return true;
          }
          for (const add of data.adds ?? []) add.rule = maskCss(add.rule);
          if (data.replace !== undefined) data.replace = maskCss(data.replace);
          if (data.replaceSync !== undefined) data.replaceSync = maskCss(data.replaceSync);
          return true;
        }
        case 14:
          data.ranges = data.ranges.filter(({ start, end }) => isLeft(start) && isLeft(end));
          return true;
        case 15: {
          const level = privacy(liveOf(data.id));
          const styles = data.styleIds.flatMap((id) => blockedSheets.get(id) ?? []).concat(data.styles ?? []);
          for (const style of styles) {
            if (level === 'blocked') blockedSheets.set(style.styleId, style);
            else blockedSheets.delete(style.styleId);
          }
          if (level === 'blocked') return false;
          if (level === 'masked') {
            for (const id of data.styleIds) maskedSheets.add(id);
            for (const { rules } of styles) for (const rule of rules) rule.rule = maskCss(rule.rule);
          }
          if (styles.length > 0) data.styles = styles;
          return true;
        }
        case 4:
        case 16:
          return true;
        default:
          // Canvases and fonts are not recorded.
          return false;
      }
    }

    switch (event.type) {
      case 0:
      case 1:
        return true;
      case 2:
        // Ids start again.
        maskedSheets.clear();
        blockedSheets.clear();
        return redactNode(event.data.node);
      case 3:
        return redactChange(event.data);
      case 4:
        event.data.href = pageAddress(event.data.href);
        return true;
      case 5:
      case 6:
        // The names of events, and the console if the page asks for it.
        return true;
      default:
        return false;
    }
  };
}

/** Replaces an element with an empty box of the same size. */
function block(node: serializedElementNodeWithId, live: Element): void {
  const name = node.attributes['class'];
  node.attributes = { ...(name !== undefined && { class: name }), ...boxOf(live) };
  node.childNodes = [];
  delete node.isShadowHost;
}

function boxOf(live: Element): Record<string, string> {
  const { width, height } = live.getBoundingClientRect();
  return { rr_width: `${width}px`, rr_height: `${height}px` };
}

function typeOf(live: Element): string {
  if (live.hasAttribute('data-rr-is-password')) return 'password';
  return 'type' in live && typeof live.type === 'string' ? live.type : '';
}

/** Masks an attribute. Returns undefined to omit it. */
function maskAttribute(live: Element, name: string, value: Value): Value | undefined {
  if (name === 'style') return maskStyle(value);
  if (name === '_cssText') return maskCss(String(value));
  if (/^rr_(?!src|dataURL)/.test(name) || LAYOUT.has(name)) return value;
  // Style sheets, and references to parts of the same drawing.
  const isLayout = /(^|:)href$/.test(name) && (live.localName === 'link' || String(value).startsWith('#'));
  return isLayout ? value : undefined;
}

const stars = (text: string) => text.replace(/\S/g, '*');

const CSS_TEXT =
  /\/\*[\s\S]*?(?:\*\/|$)|url\((?:"(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?|[^)])*\)?|(=\s*)?("(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?)/gi;

/** Removes texts, comments and URLs from style rules. The values of attribute selectors stay. */
function maskCss(css: string): string {
  return css.replace(CSS_TEXT, (found: string, selector?: string, text?: string) =>
    text === undefined
      ? found.startsWith('/')
        ? ''
        : 'url()'
      : selector === undefined
        ? text.charAt(0) + stars(text.slice(1, -1)) + text.charAt(0)
        : found,
  );
}

/** Declarations that may contain content: custom properties, and counters, which are displayed numbers. */
const CONTENT = /^\s*(?:--|counter-)/;

function maskStyle(value: Value): Value {
  if (typeof value !== 'object' || value === null)
    return maskCss(String(value))
      .split(';')
      .filter((declaration) => !CONTENT.test(declaration))
      .join(';');
  const kept = Object.entries(value).filter(([name]) => !CONTENT.test(name));
  return Object.fromEntries(
    kept.map(([name, one]) => [
      name,
      Array.isArray(one) ? [maskCss(one[0]), one[1]] : one === false ? one : maskCss(one),
    ]),
  );
}

/**
 * Removes the query of the page from URLs. rrweb makes URLs absolute, which adds the query to links within the
 * page.
 */
function withoutQuery(live: Node, text: string): string {
  const [base = ''] = (live.ownerDocument?.baseURI ?? '').split('#');
  const at = base.indexOf('?');
  if (at < 0) return text;
  const [first = '', ...more] = text.split(base.slice(0, at + 1));
  return first + more.map((part) => base.slice(0, at) + part.replace(/^[^\s"'()#<>\\]*/, '')).join('');
}
