import { html, raw } from 'hono/html';

/** Markup in which texts are escaped. */
export type Markup = ReturnType<typeof raw>;

/** Works like `html` of hono without promises, so that the result is available synchronously. */
export function markup(parts: TemplateStringsArray, ...values: unknown[]): Markup {
  const made = html(parts, ...values);
  if (made instanceof Promise) throw new Error('markup cannot contain a promise');
  return made;
}

export const nothing = raw('');
