import { resolve } from 'node:path';

/** The folder with data, keys, mails and demo.json; SWITCHBOARD_HOME moves it. */
export function homeFolder(env: Record<string, string | undefined>): string {
  return resolve(env['SWITCHBOARD_HOME'] || '.switchboard');
}
