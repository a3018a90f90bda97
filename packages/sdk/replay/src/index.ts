export { type Replay, type ReplayError, type ReplayOptions, startReplay } from './replay.ts';
