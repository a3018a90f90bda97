import { resolve } from 'node:path';

/** The folder where standalone keeps everything: data, keys, mails, demo.json. SWITCHBOARD_HOME moves it. */
export function homeFolder(env: Record<string, string | undefined>): string {
  return resolve(env['SWITCHBOARD_HOME'] || '.switchboard');
}
