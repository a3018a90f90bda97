import { html, raw } from 'hono/html';

/** Markup whose texts are escaped. */
export type Markup = ReturnType<typeof raw>;

/** `html` of hono without promises in it: what it makes is there at once. */
export function markup(parts: TemplateStringsArray, ...values: unknown[]): Markup {
  const made = html(parts, ...values);
  if (made instanceof Promise) throw new Error('markup waits for nothing');
  return made;
}

export const nothing = raw('');
