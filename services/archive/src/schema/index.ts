export {
  duplicateEvents,
  eventDeadLetters,
  eventProgress,
  eventSegments,
  seenEvents,
} from './events.ts';
export { replayChunks, replayPeople, replays } from './replays.ts';
