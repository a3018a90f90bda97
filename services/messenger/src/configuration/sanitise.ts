import sanitizeHtml from 'sanitize-html';

const LINK = /^(https?:\/\/|mailto:)/i;

/** What a starter prompt may hold: a few inline tags, and links to the web or an address. Anything else is taken out. */
export function sanitisePrompt(html: string): string {
  return sanitizeHtml(html, {
    allowedTags: ['a', 'b', 'strong', 'i', 'em', 'code', 'br'],
    allowedAttributes: { a: ['href'] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    transformTags: {
      a: (tagName, { href }) => ({ tagName, attribs: href !== undefined && LINK.test(href) ? { href } : {} }),
    },
  });
}
