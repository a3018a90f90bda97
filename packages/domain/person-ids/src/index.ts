export { createPersonIdsConsumer } from './consumer.ts';
export { createPersonIds, type PersonIds } from './person-ids.ts';
