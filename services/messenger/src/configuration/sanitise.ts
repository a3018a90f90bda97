import sanitizeHtml from 'sanitize-html';

const LINK = /^(https?:\/\/|mailto:)/i;

/** Keeps the inline tags and the http, https and mailto links of a starter prompt; removes anything else. */
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
