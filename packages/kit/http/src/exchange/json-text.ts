/** Returns the JSON text of an object with the properties of both texts, none of which is an empty object. */
export const joinObjects = (first: string, second: string): string =>
  `${first.slice(0, -1)},${second.slice(1)}`;
