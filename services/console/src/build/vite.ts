import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { webConfig } from './web.ts';

/** Builds the application into a folder. */
export async function buildInto(folder: string): Promise<void> {
  await build({ configFile: false, ...webConfig([react()], folder) });
}
