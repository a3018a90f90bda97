import { isObject } from './messages.ts';

export type Fields = Record<string, unknown>;

/** The type of elements in rrweb's nodes. */
const ELEMENT = 2;

export function styleChangeOf(source: number, data: Fields): Fields {
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

export function styleOf(value: Fields): Fields {
  const isPart = (one: unknown) =>
    one === false ||
    typeof one === 'string' ||
    (Array.isArray(one) && one.every((text) => typeof text === 'string'));
  return Object.fromEntries(Object.entries(value).filter(([, one]) => isPart(one)));
}

export const changesAddress = (attributes: unknown) =>
  isObject(attributes) && /href|src|^on/i.test(String(attributes['attributeName'] ?? ''));

export const isStyleSheet = (attributes: unknown) =>
  isObject(attributes) && /stylesheet/i.test(String(attributes['rel'] ?? ''));

export const hasPage = (node: Fields) =>
  listOf(node['childNodes']).some((child) => child['type'] === ELEMENT && child['tagName'] === 'html');

export const isId = (value: unknown): value is number => Number.isSafeInteger(value);
export const idOr = (value: unknown) => (isId(value) ? value : null);
const isIndex = (value: unknown) =>
  isId(value) || (Array.isArray(value) && value.length <= 20 && value.every(isId));
export const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const hasNumbers = (value: Fields, names: readonly string[]) =>
  names.every((name) => typeof value[name] === 'number' && Number.isFinite(value[name]));
export const pick = (value: Fields, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));
