import { toJson } from '../json.ts';
import type { Person, Traits } from '../types.ts';

/**
 * Reads an attribute of a person as JSON. Returns `undefined` if it is missing. Throws if JSON cannot represent it.
 */
export type AttributeReader = (person: Person) => unknown;

const GROUP_ATTRIBUTE = /^group\.([^.]+)\.(.+)$/s;

/** Creates a reader of `distinct_id`, `group.<type>.<trait>` or a trait. Traits with such names cannot be read. */
export function attributeReader(name: string): AttributeReader {
  if (name === 'distinct_id') return (person) => person.distinctId;
  const [, type, trait] = GROUP_ATTRIBUTE.exec(name) ?? [];
  if (type === undefined || trait === undefined) return (person) => own(person.traits, name);
  return ({ groups }) => {
    if (groups === undefined || !Object.hasOwn(groups, type)) return undefined;
    return own(groups[type], trait);
  };
}

function own(traits: Traits | null | undefined, name: string): unknown {
  if (traits === undefined || traits === null || !Object.hasOwn(traits, name)) return undefined;
  return toJson(traits[name]);
}
