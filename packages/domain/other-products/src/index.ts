export { type Fields, fieldsOf, known, textOf, timeOf, without } from './fields.ts';
export type { Lose, WireItem } from './item.ts';
export { PAGE_VIEWED, pageOf } from './page-views.ts';
export { convert as fromPostHog } from './posthog/convert.ts';
export { chunkOf as chunkFromPostHog, isSnapshot } from './posthog/snapshots.ts';
export { convert as fromSegment, isBatch, typeOf } from './segment/convert.ts';
