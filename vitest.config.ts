import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{packages,services,deploy,bench,e2e}/**/*.test.ts'],
    globalSetup: ['./packages/testkit/src/setup.ts'],
    // Tests wait more than they compute; by default two cores would get one worker.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
