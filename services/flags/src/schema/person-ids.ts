import { offsetsTable } from '@switchboard/outbox/schema';

/** The progress of publishing to the topic `people`. */
export const publishedPeople = offsetsTable('published_people');
