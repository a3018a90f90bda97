/**
 * Where a backing for tests is, from the environment. Undefined: not there, its tests are to be skipped
 * (`describe.skipIf(!brokers)`); with REQUIRE_BACKINGS=1 that is an error instead.
 */
export function backing(name: string): string | undefined {
  const value = process.env[name];
  if (value) return value;
  if (process.env['REQUIRE_BACKINGS'] !== '1') return undefined;
  throw new Error(`${name} is not set and REQUIRE_BACKINGS=1 forbids to skip its tests`);
}
