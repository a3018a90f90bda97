import { join } from 'node:path';

/** The root of the checkout. */
export const REPOSITORY = join(import.meta.dirname, '../..');
