import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { runService } from '@switchboard/http/main';
import { commonSettings, rolesSetting } from '@switchboard/runtime';
import { z } from 'zod';
import { createRateLimits } from '../overload/rate-limits.ts';
import { createApp } from '../service/app.ts';
import { startable } from '../service/define-service.ts';

/**
 * A program for tests: a service with slow requests that SIGUSR1 and SIGHUP break. Its workers describe themselves
 * and can fail in further ways. FAULT selects how the second worker fails.
 */
await runService(
  'flags',
  async () =>
    startable({
      name: 'flags',
      settings: z.object({
        ...commonSettings,
        ROLES: rolesSetting(['http', 'consumer']),
        /** The time that a start takes, in milliseconds. */
        START_MS: z.coerce.number().default(0),
        FAULT: z.enum(['ends-soon', 'does-not-start']).optional(),
      }),
      migrations: [],
      create(context) {
        const { config, instance, logger, metrics, budget } = context;
        const app = createApp({ service: 'flags', context });
        const fault = instance === 'flags-2' ? config.FAULT : undefined;
        const limit = createRateLimits(
          undefined,
          context.share,
        )({ name: 'x', points: 10, durationSeconds: 60 });
        const pings = metrics.counter('switchboard_pings_total', 'Pings of this test.');
        let isBroken = false;
        metrics.gauge('switchboard_broken', 'Whether a worker is broken.', () => Number(isBroken));
        app.health.add('fixture', async () => {
          if (isBroken) throw new Error('broken');
        });
        app.hono.get('/slow', async (c) => {
          await new Promise((resolve) => setTimeout(resolve, 3_000));
          return c.text('answered');
        });
        app.hono.get('/self', (c) => {
          pings.add();
          const heapBytes = getHeapStatistics().heap_size_limit;
          const roles = [...config.ROLES];
          return c.json({ pid: process.pid, instance, roles, heapBytes, budgetBytes: budget.maxBytes });
        });
        app.hono.get('/limited', async (c) => {
          await limit.consume('everyone');
          return c.text('allowed');
        });
        app.hono.get('/break', (c) => {
          isBroken = true;
          return c.text('broken');
        });
        app.hono.get('/hang', (c) => {
          // Blocks the thread without using the processor.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
          return c.text('never sent');
        });
        process.on('SIGUSR1', () => void Promise.reject(new Error('this rejection has no handler')));
        process.on('SIGHUP', () => {
          throw new Error('this error has no handler');
        });
        return {
          app,
          async start() {
            logger.info('migrated');
            await sleep(config.START_MS);
            if (fault === 'does-not-start') throw new Error('cannot start');
            if (fault === 'ends-soon') setTimeout(() => process.exit(7), 300);
          },
          stop: async () => logger.info('flushed'),
        };
      },
    }),
  { beatMs: 3_000, maxFailures: 3, restart: { baseMs: 50, maxMs: 100 } },
);
