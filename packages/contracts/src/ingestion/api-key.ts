import { text } from '../fields/fields.ts';

export const apiKey = text({ max: 200 }).nullable().optional().openapi({
  description:
    'The project key, for clients that cannot send the Authorization header. The header takes precedence. Without the header, a body is limited to 64 KiB, as sent and decompressed.',
});
