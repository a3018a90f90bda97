import { join } from 'node:path';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Small files with long tests, the longest first. Vitest begins with the largest files, so that these would run last.
 * Most of them wait for processes that restart, while large files keep a core busy.
 */
const LONG = [
  'e2e/product/docs-commands.test.ts',
  'services/archive/src/events/crashes.test.ts',
  'e2e/erasure/erasure.test.ts',
  'bench/scale/model/model.test.ts',
  'e2e/upgrade/upgrade.test.ts',
  'e2e/packages/publish.test.ts',
  'bench/crash/crash.test.ts',
  'packages/platform/event-log/src/contract/faults.test.ts',
  'e2e/sign-in/restarts.test.ts',
  'e2e/topics/kafka.test.ts',
  'services/messenger/src/faults.test.ts',
  'e2e/sign-in/first-visit.test.ts',
  'e2e/topics/postgres.test.ts',
  'services/archive/src/events/faults.test.ts',
  'packages/platform/event-log/src/kafka/cluster.test.ts',
];

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

/** Spreads long files over the first three quarters of the others, so that both kinds run side by side. */
class LongBetween extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification) => LONG.findIndex((name) => moduleId.endsWith(name));
    const others = sorted.filter((file) => rankOf(file) < 0);
    const placeOf = (file: TestSpecification) => {
      const rank = rankOf(file);
      return rank < 0 ? others.indexOf(file) / others.length : (rank / LONG.length) * 0.75 - 1 / files.length;
    };
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

export default defineConfig({
  test: {
    projects: [
      project('parts', ['{packages,services,deploy}/**/*.test.ts', TEXTS], FAULTS),
      project('product', ['{bench,e2e}/**/*.test.ts', FAULTS], TEXTS),
    ],
    sequence: { sequencer: LongBetween },
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
