export { createClient } from './client.ts';
export { isNotFound, ManagementError } from './error.ts';
export type * from './operations.ts';
export type {
  AnyClient,
  AnyInput,
  CallOptions,
  Client,
  ClientOptions,
  Input,
  Item,
  ListId,
  OperationId,
  Result,
  Service,
} from './types.ts';
