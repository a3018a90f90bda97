/** The source that an attribute of a query reads. */
export type Attribute =
  | { of: 'distinct_id' | 'session_id' }
  | { of: 'property' | 'context' | 'trait'; name: string }
  | { of: 'group'; type: string; name: string };

const NAMED = /^(property|context|trait)\.(.*)$/s;
/** In a group type, a backslash before a dot or a backslash makes that character part of the type. */
const GROUP = /^group\.((?:[^.\\]|\\(?:[.\\]|(?![.\\])))+)\.(.+)$/s;

/** Parses an attribute as queries write it. A name without a known prefix is a property of the event. */
export function parseAttribute(text: string): Attribute {
  if (text === 'distinct_id' || text === 'session_id') return { of: text };
  const [, of, name] = NAMED.exec(text) ?? [];
  if ((of === 'property' || of === 'context' || of === 'trait') && name !== undefined) return { of, name };
  const [, type, trait] = GROUP.exec(text) ?? [];
  if (type !== undefined && trait !== undefined) {
    return { of: 'group', type: type.replaceAll(/\\([.\\])/g, '$1'), name: trait };
  }
  return { of: 'property', name: text };
}

/** Formats an attribute so that `parseAttribute` can read it. */
export function attributeText(attribute: Attribute): string {
  switch (attribute.of) {
    case 'distinct_id':
    case 'session_id':
      return attribute.of;
    case 'property': {
      const { name } = attribute;
      const plain = parseAttribute(name);
      const isPlain = name !== '' && plain.of === 'property' && plain.name === name;
      return isPlain ? name : `property.${name}`;
    }
    case 'group':
      return `group.${attribute.type.replaceAll(/[.\\]/g, String.raw`\$&`)}.${attribute.name}`;
    default:
      return `${attribute.of}.${attribute.name}`;
  }
}

/** Whether an attribute is read from the person rather than from the event. */
export function isOfPerson(
  attribute: Attribute,
): attribute is Extract<Attribute, { of: 'group' }> | { of: 'trait'; name: string } {
  return attribute.of === 'trait' || attribute.of === 'group';
}

/** Whether the value of an attribute depends on who the person of an event is. */
export function isAboutPerson(attribute: Attribute): boolean {
  return attribute.of === 'distinct_id' || isOfPerson(attribute);
}
