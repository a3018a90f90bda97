import { z } from 'zod';
import { workersSetting } from './fields.ts';

/** The settings of a service's process, whatever the service. Apart, since a supervisor reads no others. */
export const processSettings = {
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level logged; debug includes successful requests.'),
  WORKERS: workersSetting().describe('Processes that serve requests; `auto`: one per CPU, as memory allows.'),
};
