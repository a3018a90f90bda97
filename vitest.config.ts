import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Vitest begins with the largest files. This small one takes over a minute, alone if it is the last. */
const LONG = 'e2e/product/docs-commands.test.ts';

/** Tests of the parts: packages, services, the texts and the rules of this repository. */
const PARTS = [
  '{packages,services,deploy,bench}/**/*.test.ts',
  'e2e/{docs,packages,structure,supply-chain}/**/*.test.ts',
];

/** CI, where every test runs and none is skipped for want of a backing. */
const isWhole = process.env['REQUIRE_BACKINGS'] === '1';

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => moduleId.endsWith(LONG);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'parts', include: PARTS } },
      {
        extends: true,
        test: {
          name: 'product',
          include: ['e2e/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...PARTS],
        },
      },
    ],
    globalSetup: ['./packages/kit/testkit/src/setup.ts'],
    sequence: { sequencer: LongFirst },
    // Files of one worker share the modules that they load: loading them again takes two fifths of all CPU time.
    isolate: false,
    // Tests wait half of their time; by default two cores would get one worker.
    maxWorkers: 4,
    testTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 120_000,
    // Tests may time out while everything runs at once. The report lists the tests that needed a second try.
    retry: isWhole ? 1 : 0,
    reporters: isWhole ? ['default', ['json', { outputFile: '.switchboard/tests.json' }]] : ['default'],
    env: {
      // Brokers of tests are short-lived: optimising their code takes longer than it saves.
      KAFKA_JAVA_FLAGS: '-XX:TieredStopAtLevel=1',
      // Programs that tests start keep their compiled code for the next start.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node'),
    },
  },
});
