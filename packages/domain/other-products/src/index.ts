export { type Fields, fieldsOf, textOf, timeOf } from './fields.ts';
export type { Lose, WireItem } from './item.ts';
export { convert as fromPostHog } from './posthog/convert.ts';
export { convert as fromSegment, isBatch, typeOf } from './segment/convert.ts';
