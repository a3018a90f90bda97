/** Returns a backing that was started. Throws if it is undefined because its program is not installed. */
export function installed<T>(name: string, started: T | undefined): T {
  if (started !== undefined) return started;
  throw new Error(`${name} is not installed: run deploy/backings/install.sh ${name}.`);
}
