export {
  duplicateEvents,
  eventDeadLetters,
  eventProgress,
  eventSegments,
  seenEvents,
} from './events.ts';
export { erasedProjects, eventFiles, publishedFiles } from './files.ts';
export { replayChunks, replayPeople, replays } from './replays.ts';
