export { personIds } from '@switchboard/person-ids/schema';
export { deadLetters } from './dead-letters.ts';
export {
  duplicateEvents,
  eventDeadLetters,
  eventProgress,
  eventSegments,
  seenDays,
  seenEvents,
} from './events.ts';
export { adoptions, erasedProjects, eventFiles, publishedFiles } from './files.ts';
export { importParts, imports } from './imports.ts';
export { lake, lakeMetadata } from './lake.ts';
export { replayChunks, replayPeople, replays } from './replays.ts';
