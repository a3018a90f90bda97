import { join } from 'node:path';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Vitest begins with the largest files. This small one takes over a minute, alone if it is the last. */
const LONG = 'e2e/product/docs-commands.test.ts';

/** Tests that read this repository and run nothing. */
const TEXTS = 'e2e/{docs,structure,supply-chain}/**/*.test.ts';

/** Tests that kill and freeze servers and workers. */
const FAULTS = '{packages,services}/**/{cluster,crashes,faults,workers}.test.ts';

/** CI, where every test runs and none is skipped for want of a backing. */
const isWhole = process.env['REQUIRE_BACKINGS'] === '1';

function project(name: string, include: string[], except: string): TestProjectInlineConfiguration {
  const exclude = [...configDefaults.exclude, except];
  // Given to each project, because Vitest runs a global setup of all projects once more for itself.
  const globalSetup = ['./packages/kit/testkit/src/setup.ts'];
  return { extends: true, test: { name, include, exclude, globalSetup } };
}

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
      project('parts', ['{packages,services,deploy}/**/*.test.ts', TEXTS], FAULTS),
      project('product', ['{bench,e2e}/**/*.test.ts', FAULTS], TEXTS),
    ],
    sequence: { sequencer: LongFirst },
    // Files of one worker share the modules that they load: loading them again takes two fifths of all CPU time.
    isolate: false,
    // Tests wait half of their time; by default two cores would get one worker.
    maxWorkers: 4,
    // These bound a wait; a slow machine needs more of it than a fast one.
    testTimeout: 150_000,
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 360_000,
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
