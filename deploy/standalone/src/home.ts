import { resolve } from 'node:path';

/** Returns the folder with data, keys, mails and demo.json. SWITCHBOARD_HOME changes it. */
export function homeFolder(env: Record<string, string | undefined>): string {
  return resolve(env['SWITCHBOARD_HOME'] || '.switchboard');
}
