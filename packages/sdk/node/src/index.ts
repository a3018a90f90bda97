export { createClient } from './client.ts';
export type {
  CallOptions,
  Client,
  Flags,
  FlagsClient,
  FlagValue,
  Options,
  Person,
  Properties,
  ServerEvaluation,
  SwitchboardError,
} from './types.ts';
