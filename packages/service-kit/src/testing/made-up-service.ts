import { z } from 'zod';
import { createApp } from '../lifecycle/app.ts';
import { defineService } from '../lifecycle/define-service.ts';
import { runService } from '../lifecycle/runner.ts';
import { commonSettings } from '../settings/common.ts';

/** A program for tests: a service whose requests take a moment, and which SIGUSR1 and SIGUSR2 break. */
await runService(
  defineService({
    name: 'flags',
    settings: z.object(commonSettings),
    migrations: [],
    create(context) {
      const app = createApp({ service: 'flags', context });
      app.hono.get('/slow', async (c) => {
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return c.text('answered');
      });
      process.on('SIGUSR1', () => void Promise.reject(new Error('nobody waits for this')));
      process.on('SIGUSR2', () => {
        throw new Error('nobody catches this');
      });
      return {
        app,
        start: async () => undefined,
        stop: async () => context.logger.info('flushed'),
      };
    },
  }),
);
