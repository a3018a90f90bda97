import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: ['./src/replay-archive/schema.ts', './src/event-archive/schema.ts'],
  out: './migrations',
});
