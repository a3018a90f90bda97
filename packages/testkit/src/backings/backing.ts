/**
 * The address of a backing, from the environment. When it is undefined, skip the tests that need it
 * (`describe.skipIf(!brokers)`); with REQUIRE_BACKINGS=1 that is an error.
 */
export function backing(name: string): string | undefined {
  const value = process.env[name];
  if (value) return value;
  if (process.env['REQUIRE_BACKINGS'] !== '1') return undefined;
  throw new Error(`${name} is not set and REQUIRE_BACKINGS=1 does not allow its tests to be skipped`);
}
