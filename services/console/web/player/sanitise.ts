import type { eventWithTime } from '@rrweb/types';
import { type BoxTexts, isObject, type Unseen } from './messages.ts';

type Fields = Record<string, unknown>;

/** The types of rrweb's events, nodes and sources that the player shows. */
const EVENT = { dom: 0, load: 1, full: 2, incremental: 3, meta: 4 };
const NODE = { document: 0, doctype: 1, element: 2, text: 3, cdata: 4, comment: 5 };

const MAX_DEPTH = 500;
const MAX_NODES = 100_000;

/** Elements that are left out with everything in them. */
const HIDDEN = new Set(['script', 'meta', 'base', 'template', 'portal', 'noembed', 'noframes']);
/** The attribute with the text of a box. */
export const BOX = 'data-switchboard-box';
/** Elements that are replaced by a box with a text. */
const BOXES: Record<string, keyof BoxTexts> = {
  iframe: 'frames',
  frame: 'frames',
  frameset: 'frames',
  fencedframe: 'frames',
  object: 'frames',
  embed: 'frames',
  applet: 'frames',
  audio: 'media',
  video: 'media',
  canvas: 'canvases',
};
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
      return name === '_csstext' ? value : undefined;
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

  function childrenOf(node: Fields, depth: number): Fields[] {
    return listOf(node['childNodes'])
      .map((child) => nodeOf(child, depth + 1))
      .filter((child) => child !== undefined);
  }

  /** Returns a node that rrweb can build, or undefined if it is left out. */
  function nodeOf(node: unknown, depth: number): Fields | undefined {
    if (!isObject(node)) return undefined;
    const { type, id, rootId, isShadow, isStyle } = node;
    if (!isId(id) || depth > MAX_DEPTH || ++nodes > MAX_NODES) {
      unseen.parts++;
      return undefined;
    }
    const common = { id, ...(isId(rootId) && { rootId }), ...(isShadow === true && { isShadow }) };
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
          textContent: textOf(node['textContent']),
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
      const host = hostOf(isObject(attributes) ? attributes['rr_src'] : undefined);
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
    const adds = listOf(data['adds']).flatMap((add) => {
      const { parentId, nextId, previousId, node } = add;
      if (!isId(parentId) || BOXES[tags.get(parentId) ?? ''] !== undefined) {
        if (isObject(node) && node['type'] === NODE.document) unseen.frames++;
        return [];
      }
      const safe = nodeOf(node, 1);
      return safe === undefined
        ? []
        : [{ parentId, nextId: idOr(nextId), previousId: idOr(previousId), node: safe }];
    });
    return {
      source: 0,
      adds,
      texts: listOf(data['texts']).flatMap(({ id, value }) =>
        isId(id) ? [{ id, value: textOf(value) }] : [],
      ),
      attributes: listOf(data['attributes']).flatMap(({ id, attributes }) => {
        const tag = isId(id) ? tags.get(id) : undefined;
        if (tag === undefined || tag === 'link' || HIDDEN.has(tag) || ANIMATIONS.has(tag)) return [];
        const kept = attributesOf(tag, attributes);
        return [{ id, attributes: BOXES[tag] === undefined ? kept : pick(kept, ['class', 'style']) }];
      }),
      removes: listOf(data['removes']).flatMap(({ id, parentId, isShadow }) =>
        isId(id) && isId(parentId) ? [{ id, parentId, ...(isShadow === true && { isShadow }) }] : [],
      ),
    };
  }

  function incrementalOf(data: Fields): Fields | undefined {
    const { source } = data;
    switch (source) {
      case 0:
        return mutationOf(data);
      case 1:
      case 6:
      case 12: {
        const positions = listOf(data['positions']).filter((one) =>
          hasNumbers(one, ['x', 'y', 'id', 'timeOffset']),
        );
        return positions.length === 0 ? undefined : { source, positions };
      }
      case 2:
        // A focus has no place.
        return hasNumbers(data, ['type', 'id', ...['x', 'y'].filter((name) => name in data)])
          ? { ...pick(data, ['type', 'id', 'x', 'y', 'pointerType']), source }
          : undefined;
      case 3:
        return hasNumbers(data, ['id', 'x', 'y']) ? { ...pick(data, ['id', 'x', 'y']), source } : undefined;
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
        return styleChangeOf(source, data);
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

function styleChangeOf(source: number, data: Fields): Fields {
  const rules = (value: unknown) =>
    listOf(value).flatMap(({ rule, index }) =>
      typeof rule === 'string' ? [{ rule, ...(isIndex(index) && { index }) }] : [],
    );
  const { id, styleId, index, set, remove, replace, replaceSync } = data;
  const ids = { ...(isId(id) && { id }), ...(isId(styleId) && { styleId }) };
  if (source === 8) {
    const removes = listOf(data['removes']).flatMap((one) =>
      isIndex(one['index']) ? [{ index: one['index'] }] : [],
    );
    const texts = {
      ...(typeof replace === 'string' && { replace }),
      ...(typeof replaceSync === 'string' && { replaceSync }),
    };
    return { source, ...ids, ...texts, adds: rules(data['adds']), removes };
  }
  if (source === 13) {
    const named = (value: unknown) =>
      isObject(value) && typeof value['property'] === 'string'
        ? pick(value, ['property', 'value', 'priority'])
        : undefined;
    return { source, ...ids, index: isIndex(index) ? index : [0], set: named(set), remove: named(remove) };
  }
  const styleIds = Array.isArray(data['styleIds']) ? data['styleIds'].filter(isId) : [];
  const styles = listOf(data['styles']).flatMap((one) =>
    isId(one['styleId']) ? [{ styleId: one['styleId'], rules: rules(one['rules']) }] : [],
  );
  return { source, ...ids, styleIds, styles };
}

function styleOf(value: Fields): Fields {
  const isPart = (one: unknown) =>
    one === false ||
    typeof one === 'string' ||
    (Array.isArray(one) && one.every((text) => typeof text === 'string'));
  return Object.fromEntries(Object.entries(value).filter(([, one]) => isPart(one)));
}

/** Returns the size that the attributes of an element give it, as rrweb takes it. */
function boxSize({ width, height }: Fields): Fields {
  const lengthOf = (value: unknown) => {
    const [, number, percent] = /^(\d+)(?:px|(%))?$/.exec(String(value)) ?? [];
    return number && `${number}${percent ?? 'px'}`;
  };
  const [rr_width, rr_height] = [lengthOf(width), lengthOf(height)];
  return { ...(rr_width && { rr_width }), ...(rr_height && { rr_height }) };
}

/** Returns the host of a page in a frame. */
function hostOf(address: unknown): string | undefined {
  const url = typeof address === 'string' ? URL.parse(address) : null;
  return url === null || url.host === '' ? undefined : url.host;
}

const changesAddress = (attributes: unknown) =>
  isObject(attributes) && /href|src|^on/i.test(String(attributes['attributeName'] ?? ''));

const isStyleSheet = (attributes: unknown) =>
  isObject(attributes) && /stylesheet/i.test(String(attributes['rel'] ?? ''));

const hasPage = (node: Fields) =>
  listOf(node['childNodes']).some((child) => child['type'] === NODE.element && child['tagName'] === 'html');

const isId = (value: unknown): value is number => Number.isSafeInteger(value);
const idOr = (value: unknown) => (isId(value) ? value : null);
const isIndex = (value: unknown) =>
  isId(value) || (Array.isArray(value) && value.length <= 20 && value.every(isId));
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);
const hasNumbers = (value: Fields, names: readonly string[]) =>
  names.every((name) => typeof value[name] === 'number' && Number.isFinite(value[name]));
const pick = (value: Fields, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));
