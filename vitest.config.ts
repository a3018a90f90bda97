import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{bench,packages,services,deploy}/**/*.test.ts'],
    globalSetup: ['./packages/testkit/src/setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
