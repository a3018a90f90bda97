import type { z } from '@hono/zod-openapi';
import { codePoints } from '../fields/text.ts';

/** Maximum number of traits of a person or a group, and of a call. */
export const TRAITS_MAX_COUNT = 1000;
/** Maximum size of the traits of a person or a group, and of a call, as JSON in bytes. */
export const TRAITS_MAX_BYTES = 100_000;
/** Maximum number of group types that a person has. */
export const GROUP_TYPES_MAX_COUNT = 10;

const NAME_MAX = 200;

/** Rejects an object with more traits than a person can have, or with a name that is too long. */
export function checkTraits({ value, issues }: z.core.ParsePayload<object>): void {
  const names = Object.keys(value);
  const report = (message: string) => issues.push({ code: 'custom', input: value, message });
  if (names.length > TRAITS_MAX_COUNT) report(`more than ${TRAITS_MAX_COUNT} properties`);
  else if (names.some(isTooLong)) report(`a name is longer than ${NAME_MAX} characters`);
}

function isTooLong(name: string): boolean {
  return name.length > NAME_MAX && codePoints(name) > NAME_MAX;
}
