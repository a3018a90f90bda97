export { anyEvents } from './any-events.ts';
