import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { playerConfig, webConfig } from './web.ts';

/** Builds the application into a folder. Default: `web/dist`. */
export async function buildInto(folder?: string): Promise<void> {
  await build({ configFile: false, ...webConfig([react()], folder) });
  await build({ configFile: false, ...playerConfig(folder) });
}
