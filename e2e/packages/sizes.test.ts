import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

/** Returns the size that a page loads for a package: minified, gzipped, without code that the page already has. */
async function size(code: string, external: (string | RegExp)[] = []): Promise<number> {
  const folder = fileURLToPath(new URL('../../packages/sdk', import.meta.url));
  const built = await rolldown({
    input: 'entry.js',
    external,
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry.js' ? `${folder}/react/entry.js` : null),
        load: (id) => (id.endsWith('/react/entry.js') ? code.replaceAll('~', folder) : null),
      },
    ],
  });
  const { output } = await built.generate({ format: 'esm', minify: true });
  await built.close();
  // Excludes modules that are imported on demand, such as languages.
  const [{ code: bundled, imports }] = output;
  const shared = output.flatMap((chunk) =>
    chunk.type === 'chunk' && imports.includes(chunk.fileName) ? [chunk.code] : [],
  );
  return gzipSync([bundled, ...shared].join(''), { level: 9 }).length;
}

describe('the sizes of the packages that pages load', () => {
  it.each([
    ['@switchboard/browser', 8_500, "export * from '~/browser/src/index.ts'", []],
    ['@switchboard/messenger', 30_000, "export * from '~/messenger/src/index.ts'", []],
    ['@switchboard/react', 3_000, "export * from '~/react/src/index.ts'", [/^react/, /sdk-browser.*client/]],
    [
      '@switchboard/openfeature-web',
      2_000,
      "export * from '~/openfeature-web/src/index.ts'",
      ['@openfeature/web-sdk'],
    ],
  ])('%s is at most %d bytes', async (_, most, code, external) => {
    expect(await size(code, external)).toBeLessThanOrEqual(most);
  });

  it('@switchboard/replay adds at most 4,500 bytes to rrweb', async () => {
    const whole = await size("export * from '~/replay/src/index.ts'");
    const rrweb = await size("export { record } from '~/replay/node_modules/@rrweb/record/dist/record.js'");
    expect(whole - rrweb).toBeLessThanOrEqual(4_500);
  });

  it('unused parts of a package add no bytes to a page', async () => {
    expect(await size("export { flagValue } from '~/browser/src/index.ts'")).toBeLessThan(500);
  });
});
