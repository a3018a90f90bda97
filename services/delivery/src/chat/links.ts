/** Encodes a text as one segment or value of an address. */
const encode = (text: string) =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    // They could end a link in Markdown.
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A page of a project in the console: its path, and the id of the open entry. */
export interface ConsolePage {
  title: string;
  path: readonly string[];
  open?: string;
}

/** Returns the address of a page. */
export function pageAddress(consoleUrl: string, projectId: string, { path, open }: ConsolePage): string {
  const segments = ['projects', projectId, ...path].map(encode).join('/');
  return `${consoleUrl}/${segments}${open === undefined ? '' : `?open=${encode(open)}`}`;
}
