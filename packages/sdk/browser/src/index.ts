export { init, VERSION } from './client.ts';
export { flagValue } from './flag-value.ts';
export type {
  Client,
  Consent,
  Flags,
  FlagsClient,
  FlagValue,
  InboxClient,
  InboxMessage,
  Options,
  Properties,
  SwitchboardError,
} from './types.ts';
