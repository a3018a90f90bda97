import { z } from 'zod';
import { workersSetting } from './fields.ts';

/** The settings of any service's process. Separate, since a supervisor reads no others. */
export const processSettings = {
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level logged; debug includes successful requests.'),
  REVISION: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'not up to 64 letters, digits, _, . or -')
    .default('unknown')
    .meta({ values: 'up to 64 letters, digits, _, . and -' })
    .describe('Commit that the program was built from, for `switchboard_build_info`. The images set it.'),
  WORKERS: workersSetting().describe('Processes that serve requests. `auto`: one per CPU, as memory allows.'),
};
