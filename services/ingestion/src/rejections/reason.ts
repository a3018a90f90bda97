const MAX_LENGTH = 200;
const INDEX = /\[\d+\]/g;
const QUOTED = /"[^"]*"/g;
const CONTROL = /\p{Cc}/gu;

/** Returns the message of a rejection without indexes and without values that the client sent. */
export function reasonOf(message: string): string {
  return message
    .slice(0, 2 * MAX_LENGTH)
    .replaceAll(INDEX, '[]')
    .replaceAll(QUOTED, '"…"')
    .toWellFormed()
    .replaceAll(CONTROL, ' ')
    .slice(0, MAX_LENGTH)
    .toWellFormed();
}
