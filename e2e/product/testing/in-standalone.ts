import { type Operation, SERVICE_NAMES } from '@switchboard/contracts';

const names: readonly string[] = SERVICE_NAMES;

/** Returns the operations of the services that standalone runs. It runs no optional service. */
export const inStandalone = (operations: readonly Operation[]): Operation[] =>
  operations.filter(({ service }) => names.includes(service));
