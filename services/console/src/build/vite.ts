import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { PLAYER, PREVIEW, PUSH_WORKER } from '../assets/assets.ts';
import { scriptConfig, webConfig } from './web.ts';

/** Builds the application into a folder. Default: `web/dist`. */
export async function buildInto(folder?: string): Promise<void> {
  await build({ configFile: false, ...webConfig([react()], folder) });
  for (const name of [PLAYER, PREVIEW, PUSH_WORKER] as const)
    await build({ configFile: false, ...scriptConfig(name, folder) });
}
