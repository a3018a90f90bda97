import { GROUP_SCHEMA, USER_SCHEMA } from './resources.ts';

/** The attributes of resources that a request asks for (RFC 7644, section 3.9). */
export interface Selection {
  has(attribute: string): boolean;
  /** Returns a copy with the selected attributes. A part of an attribute selects all of it. */
  of(resource: object): object;
}

const ALWAYS = ['schemas', 'id'];

/** Parses `attributes` and `excludedAttributes`. */
export function selectionOf(query: Record<string, string | undefined>): Selection {
  const included = namesOf(query['attributes']);
  const excluded = namesOf(query['excludedAttributes']);

  function has(attribute: string): boolean {
    const name = attribute.toLowerCase();
    if (ALWAYS.includes(name)) return true;
    if (included.length === 0) return !excluded.includes(name);
    return included.some((one) => one === name || one.startsWith(`${name}.`) || one.startsWith(`${name}:`));
  }

  return {
    has,
    of: (resource) => Object.fromEntries(Object.entries(resource).filter(([attribute]) => has(attribute))),
  };
}

/** Returns names in lower case, without the schema that a client may put before them. */
function namesOf(list: string | undefined): string[] {
  const names = (list ?? '').split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '').map(withoutSchema);
}

function withoutSchema(name: string): string {
  const schema = [USER_SCHEMA, GROUP_SCHEMA].find((one) => name.startsWith(`${one.toLowerCase()}:`));
  return schema === undefined ? name : name.slice(schema.length + 1);
}
