import { type Host, type Operation, operations } from '@switchboard/contracts';

/** The longest path that a message repeats, in characters. */
const MAX_PATH = 200;

/**
 * Returns the message of a 404 for an unknown path: where the operation is served, or where the paths are documented.
 */
export function notFoundMessage(path: string): string {
  const operation = operations.find((candidate) => isPathOf(candidate, path));
  const shown = path.slice(0, MAX_PATH);
  if (operation === undefined) return `Not found: ${shown}. See /docs for the reference.`;
  return `Not found: ${shown} is served by ${PLACES[operation.host](operation)}.`;
}

const PLACES: Readonly<Record<Host, (operation: Operation) => string>> = Object.freeze({
  api: ({ service }) => `the service ${service} on the API host`,
  events: () => 'the events host',
  replay: () => 'the replay host',
  management: ({ service }) => `the service ${service} on its management port`,
});

function isPathOf(operation: Operation, path: string): boolean {
  const expected = operation.path.split('/');
  const parts = path.split('/');
  return (
    parts.length === expected.length &&
    expected.every((part, index) => part.startsWith('{') || part === parts[index])
  );
}
