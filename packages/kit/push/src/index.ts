export { openPusher } from './open-pusher.ts';
export { EndpointGone, type PushContent, type Pusher, type PushTarget } from './pusher.ts';
export { completeVapid, pushSettings } from './settings.ts';
