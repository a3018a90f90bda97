import { text } from '../fields.ts';

export const apiKey = text({ max: 200 }).nullable().optional().openapi({
  description: 'The project key, where no Authorization header can be sent; the header goes first.',
});
