export { createPersonIdsConsumer } from './consumer.ts';
export { createPersonIds, type DistinctId, type PersonIds } from './person-ids.ts';
