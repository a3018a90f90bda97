export { type FanOut, type FanOutOptions, openFanOut } from './fan-out.ts';
export { createHub, type Hub, type HubOptions, type Refusal, type Socket, type SocketPlan } from './hub.ts';
