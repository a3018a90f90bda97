import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { webConfig } from './src/build/web.ts';

/** The development server. `CONSOLE` is the address of a running console, which answers for the session. */
export default defineConfig({
  ...webConfig([react()]),
  server: {
    proxy: Object.fromEntries(
      ['/session', '/signed-in', '/player', '/messenger-preview', '/push-worker.js'].map((path) => [
        path,
        process.env['CONSOLE'] ?? 'http://127.0.0.1:4004',
      ]),
    ),
  },
});
