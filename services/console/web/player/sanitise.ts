import type { eventWithTime } from '@rrweb/types';
import { BOX, BOXES, boxSize, FRAME, FRAME_RULES, hostOf } from './boxes.ts';
import { createFrames, type Frame, flattened } from './frames.ts';
import { type BoxTexts, isObject, type Unseen } from './messages.ts';
import {
  changesAddress,
  type Fields,
  hasNumbers,
  hasPage,
  idOr,
  isId,
  isStyleSheet,
  listOf,
  pick,
  styleChangeOf,
  styleOf,
  textOf,
} from './values.ts';

/** The types of rrweb's events, nodes and sources that the player shows. */
const EVENT = { dom: 0, load: 1, full: 2, incremental: 3, meta: 4 };
const NODE = { document: 0, doctype: 1, element: 2, text: 3, cdata: 4, comment: 5 };

const MAX_DEPTH = 500;
const MAX_NODES = 100_000;

/** Elements that are left out with everything in them. */
const HIDDEN = new Set(['script', 'meta', 'base', 'template', 'portal', 'noembed', 'noframes']);
/** Attributes that run, load, send or navigate, or that name properties of the document. */
const DROPPED = new Set(
  `action archive autofocus background cite classid codebase codetype csp data download dynsrc formaction form
  http-equiv imagesizes imagesrcset integrity is longdesc lowsrc manifest name nonce ping popovertarget
  popovertargetaction commandfor command poster profile sandbox srcdoc srcset target usemap xml:base`.split(
    /\s+/,
  ),
);
const ANIMATIONS = new Set(['animate', 'animatemotion', 'animatetransform', 'set', 'discard']);
const NAME = /^[a-z_][\w:.-]*$/i;
const PICTURE = /^data:image\//i;

interface SanitiserOptions {
  /** Whether to keep images of other sites. */
  images: boolean;
  /** Counts the parts that are left out. */
  unseen: Unseen;
  texts: BoxTexts;
}

/** Makes recorded events safe to build: each value is checked, and nothing that could run or load is left. */
export function createSanitiser({ images, unseen, texts }: SanitiserOptions) {
  /** The tag of each element, because later changes name only its id. */
  const tags = new Map<number, string>();
  const frames = createFrames();
  /** The frame that contains the checked nodes. */
  let frame: Frame | undefined;
  let nodes = 0;

  function attributesOf(tag: string, given: unknown): Fields {
    const kept: Fields = {};
    for (const [name, value] of Object.entries(isObject(given) ? given : {})) {
      const safe = attribute(tag, name.toLowerCase(), value);
      if (safe !== undefined && NAME.test(name)) kept[name] = safe;
    }
    return kept;
  }

  function attribute(tag: string, name: string, value: unknown): unknown {
    if (name === 'style' && isObject(value)) return styleOf(value);
    if (value === null) return null;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      return undefined;
    if (name.startsWith('on') || name.startsWith('_') || DROPPED.has(name)) {
      return name === '_csstext' ? cssOf(value) : undefined;
    }
    if (name.startsWith('rr_')) return special(tag, name, value);
    if (name === 'href' || name === 'xlink:href') {
      if (tag === 'a' || tag === 'area') return '#';
      const text = String(value).trim();
      if (text.startsWith('#') || PICTURE.test(text)) return text;
      unseen.images++;
      return undefined;
    }
    if (name === 'src') {
      const text = String(value).trim();
      if (tag !== 'img' && tag !== 'input') return undefined;
      if (PICTURE.test(text) || (images && /^https:\/\//i.test(text))) return text;
      if (text !== '') unseen.images++;
      return undefined;
    }
    return value;
  }

  function special(tag: string, name: string, value: unknown): unknown {
    if (name === 'rr_dataurl')
      return (tag === 'img' || tag === 'canvas') && typeof value === 'string' && PICTURE.test(value)
        ? value
        : undefined;
    if (name === 'rr_open_mode') return value === 'modal' || value === 'non-modal' ? value : undefined;
    if (name === 'rr_width' || name === 'rr_height') return typeof value === 'string' ? value : undefined;
    return name.startsWith('rr_scroll') && typeof value === 'number' ? value : undefined;
  }

  /** The root of the rules in a frame is its html element: in a shadow tree, :root matches nothing. */
  const cssOf = <T>(value: T) =>
    frame === undefined || typeof value !== 'string' ? value : value.replaceAll(/:root\b/gi, 'html');

  function childrenOf(node: Fields, depth: number): Fields[] {
    return listOf(node['childNodes'])
      .map((child) => nodeOf(child, depth + 1))
      .filter((child) => child !== undefined);
  }

  /** Returns a node that rrweb can build, or undefined if it is left out. */
  function nodeOf(node: unknown, depth: number): Fields | undefined {
    if (!isObject(node)) return undefined;
    const { type, id, isShadow, isStyle } = node;
    if (!isId(id) || depth > MAX_DEPTH || ++nodes > MAX_NODES) {
      unseen.parts++;
      return undefined;
    }
    if (frame !== undefined) frames.keep(id, frame);
    const common = { id, ...(isShadow === true && { isShadow }) };
    switch (type) {
      case NODE.document:
        if (depth === 0) return { ...common, type, childNodes: childrenOf(node, depth) };
        unseen.frames++;
        return undefined;
      case NODE.doctype:
        return { ...common, type, name: 'html', publicId: '', systemId: '' };
      case NODE.element:
        return elementOf(node, common, depth);
      case NODE.text:
      case NODE.cdata:
        return {
          ...common,
          type: NODE.text,
          textContent: isStyle === true ? cssOf(textOf(node['textContent'])) : textOf(node['textContent']),
          isStyle: isStyle === true,
        };
      case NODE.comment:
        return { ...common, type, textContent: '' };
      default:
        unseen.parts++;
        return undefined;
    }
  }

  function elementOf(node: Fields, common: Fields & { id: number }, depth: number): Fields {
    const { tagName, attributes, isSVG, isShadowHost } = node;
    const name = typeof tagName === 'string' && NAME.test(tagName) ? tagName : 'div';
    const tag = name.toLowerCase().replace(/^.*:/, '');
    tags.set(common.id, tag);
    const element = { ...common, type: NODE.element, ...(isSVG === true && { isSVG }) };
    const kept = attributesOf(tag, attributes);
    const box = BOXES[tag];
    // A canvas is shown if the recording has a picture of it.
    if (box !== undefined && kept['rr_dataURL'] === undefined) {
      unseen[box]++;
      const host = hostOf(attributes);
      // rrweb names the address of a frame if its document belongs to another origin.
      if (tag === 'iframe' && isObject(attributes) && attributes['rr_src'] === undefined)
        frames.add(common.id, frame);
      const shown = {
        ...boxSize(kept),
        ...pick(kept, ['class', 'style', 'rr_width', 'rr_height']),
        [BOX]: host === undefined ? texts[box] : `${texts[box]} · ${host}`,
      };
      return { ...element, tagName: 'div', attributes: shown, childNodes: [] };
    }
    const isLink = tag === 'link' && typeof kept['_cssText'] !== 'string';
    if (tag === 'link' && isLink && isStyleSheet(attributes)) unseen.styles++;
    if (isLink || HIDDEN.has(tag) || (ANIMATIONS.has(tag) && changesAddress(attributes)))
      return { ...element, tagName: 'noscript', attributes: {}, childNodes: [] };
    // rrweb turns a link with the text of its style sheet into a style.
    const safe = tag === 'link' ? { rel: 'stylesheet', href: '#', _cssText: kept['_cssText'] } : kept;
    return {
      ...element,
      tagName: tag === 'html' || tag === 'body' || tag === 'head' ? tag : name,
      attributes: safe,
      ...(isShadowHost === true && { isShadowHost }),
      childNodes: childrenOf(node, depth),
    };
  }

  function mutationOf(data: Fields): Fields {
    const removes: Fields[] = listOf(data['removes']).flatMap(({ id, parentId, isShadow }) =>
      isId(id) && isId(parentId)
        ? [
            {
              id,
              parentId: frames.shownBy(parentId),
              ...((isShadow === true || frames.isDocument(parentId)) && { isShadow: true }),
            },
          ]
        : [],
    );
    const attributes: Fields[] = [];
    const adds = listOf(data['adds']).flatMap((add) => {
      const { parentId, nextId, previousId, node } = add;
      if (!isId(parentId)) return [];
      if (isObject(node) && node['type'] === NODE.document) {
        const opened = documentOf(node, frames.get(parentId));
        removes.push(...opened.removes);
        attributes.push(...opened.attributes);
        return opened.adds;
      }
      if (BOXES[tags.get(parentId) ?? ''] !== undefined) return [];
      const safe = within(frames.around(parentId), () => nodeOf(node, 1));
      if (safe === undefined) return [];
      return [
        {
          parentId: frames.shownBy(parentId),
          nextId: idOr(nextId),
          previousId: idOr(previousId),
          node: frames.isDocument(parentId) ? { ...safe, isShadow: true } : safe,
        },
      ];
    });
    return {
      source: 0,
      adds,
      removes,
      texts: listOf(data['texts']).flatMap(({ id, value }) =>
        isId(id) ? [{ id, value: textOf(value) }] : [],
      ),
      attributes: [
        ...listOf(data['attributes']).flatMap(({ id, attributes: changed }) => {
          const tag = isId(id) ? tags.get(id) : undefined;
          if (!isId(id) || tag === undefined || tag === 'link' || HIDDEN.has(tag) || ANIMATIONS.has(tag))
            return [];
          const kept = within(frames.around(id), () => attributesOf(tag, changed));
          return [{ id, attributes: BOXES[tag] === undefined ? kept : pick(kept, ['class', 'style']) }];
        }),
        ...attributes,
      ],
    };
  }

  /** Returns the changes that show the document of a frame in the shadow tree of the element in its place. */
  function documentOf(node: Fields, shown: Frame | undefined) {
    const { id, childNodes } = node;
    // A frame that is no frame of the same origin, or is too deep, stays a box.
    if (shown === undefined || !isId(id)) return { adds: [], removes: [], attributes: [] };
    const children = within(shown, () => childrenOf({ childNodes }, 0)).filter(
      ({ type }) => type === NODE.element,
    );
    const style = { type: NODE.element, tagName: 'style', attributes: {}, id: frames.ownId() };
    const rules = { type: NODE.text, id: frames.ownId(), textContent: FRAME_RULES, isStyle: true };
    const trees: Fields[] = [{ ...style, childNodes: [rules] }, ...children];
    const removes = shown.tops.map((top) => ({ id: top, parentId: shown.id, isShadow: true }));
    if (shown.documentId === undefined) unseen.frames--;
    frames.open(
      shown,
      id,
      trees.map((tree) => Number(tree['id'])),
    );
    return {
      adds: trees.flatMap((tree) => flattened(shown.id, { ...tree, isShadow: true })),
      removes,
      attributes: [{ id: shown.id, attributes: { [BOX]: null, [FRAME]: 'true' } }],
    };
  }

  /** Runs a check of nodes in a frame. */
  function within<T>(around: Frame | undefined, check: () => T): T {
    frame = around;
    try {
      return check();
    } finally {
      frame = undefined;
    }
  }

  const isInFrame = (id: unknown) => isId(id) && frames.around(id) !== undefined;

  function incrementalOf(data: Fields): Fields | undefined {
    const { source } = data;
    switch (source) {
      case 0:
        return mutationOf(data);
      case 1:
      case 6:
      case 12: {
        // Places in a frame are those of its own page, so the pointer stays where it was.
        const positions = listOf(data['positions']).filter(
          (one) => hasNumbers(one, ['x', 'y', 'id', 'timeOffset']) && !isInFrame(one['id']),
        );
        return positions.length === 0 ? undefined : { source, positions };
      }
      case 2:
        // A focus has no place.
        return hasNumbers(data, ['type', 'id', ...['x', 'y'].filter((name) => name in data)]) &&
          !('x' in data && isInFrame(data['id']))
          ? { ...pick(data, ['type', 'id', 'x', 'y', 'pointerType']), source }
          : undefined;
      case 3:
        return hasNumbers(data, ['id', 'x', 'y'])
          ? { ...pick(data, ['x', 'y']), id: frames.shownBy(data['id']), source }
          : undefined;
      case 4:
        return hasNumbers(data, ['width', 'height'])
          ? { ...pick(data, ['width', 'height']), source }
          : undefined;
      case 5: {
        const { id, text, isChecked } = data;
        return isId(id) ? { source, id, text: textOf(text), isChecked: isChecked === true } : undefined;
      }
      case 8:
      case 13:
      case 15:
        return styleChangeOf(source, { ...data, id: frames.shownBy(data['id']) });
      default:
        // Canvases, media, fonts and selections.
        return undefined;
    }
  }

  function eventOf(given: unknown): Fields | undefined {
    if (!isObject(given)) return undefined;
    const { type, timestamp, data } = given;
    if (typeof timestamp !== 'number' || !Number.isFinite(timestamp)) return undefined;
    if (type === EVENT.dom || type === EVENT.load) return { type, timestamp, data: {} };
    if (!isObject(data)) return undefined;
    if (type === EVENT.meta)
      return hasNumbers(data, ['width', 'height'])
        ? { type, timestamp, data: { href: '', ...pick(data, ['width', 'height']) } }
        : undefined;
    if (type === EVENT.full) {
      tags.clear();
      frames.clear();
      nodes = 0;
      const node = nodeOf(data['node'], 0);
      if (node === undefined || !hasPage(node)) return undefined;
      const offset = isObject(data['initialOffset']) ? data['initialOffset'] : {};
      const { left = 0, top = 0 } = offset;
      return {
        type,
        timestamp,
        data: { node, initialOffset: { left: Number(left) || 0, top: Number(top) || 0 } },
      };
    }
    if (type !== EVENT.incremental) return undefined;
    nodes = 0;
    const change = incrementalOf(data);
    return change && { type, timestamp, data: change };
  }

  return {
    /** Returns an event that rrweb can play, or undefined if it is left out. */
    event: (given: unknown) => eventOf(given) as eventWithTime | undefined,
  };
}
