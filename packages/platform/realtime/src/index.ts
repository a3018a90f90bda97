export { type Announcer, type AnnouncerOptions, createAnnouncer } from './announcer.ts';
export { encodeOnce } from './event-stream.ts';
export { type FanOut, type FanOutOptions, openFanOut } from './fan-out.ts';
export { createHub, type Hub, type HubOptions } from './hub.ts';
export type { Refusal, Socket, SocketPlan, StreamPlan } from './socket.ts';
