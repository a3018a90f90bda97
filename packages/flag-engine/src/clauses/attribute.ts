import type { Person, Traits } from '../types.ts';

/** Reads one attribute of a person; `undefined` when it is missing. */
export type AttributeReader = (person: Person) => unknown;

const groupAttribute = /^group\.([^.]+)\.(.+)$/s;

/** How to read `distinct_id`, `group.<type>.<trait>` or a trait. A trait of such a name is not reached. */
export function attributeReader(name: string): AttributeReader {
  if (name === 'distinct_id') return (person) => person.distinctId;
  const [, type, trait] = groupAttribute.exec(name) ?? [];
  if (type === undefined || trait === undefined) return (person) => own(person.traits, name);
  return ({ groups }) => {
    if (groups === undefined || !Object.hasOwn(groups, type)) return undefined;
    return own(groups[type], trait);
  };
}

function own(traits: Traits | null | undefined, name: string): unknown {
  if (traits === undefined || traits === null || !Object.hasOwn(traits, name)) return undefined;
  return traits[name];
}
