import { getArchiveUsage, USAGE_DAYS } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { UsageStore } from './store.ts';

const DAY_MS = 86_400_000;

interface UsageDeps {
  store: UsageStore;
  clock: Clock;
  eventDays: number | undefined;
  recordingDays: number | undefined;
  ofProject: ProjectOfRegion;
}

export function usageRoutes(
  app: ServiceApp,
  { store, clock, eventDays, recordingDays, ofProject }: UsageDeps,
): void {
  app.implement(
    getArchiveUsage,
    async (c) => {
      const { projectId } = c.req.valid('param');
      const since = new Date(clock.now().getTime() - USAGE_DAYS * DAY_MS);
      const day = await store.oldestEventDay(projectId);
      const recording = await store.oldestRecording(projectId);
      return c.json(
        {
          recordings: await store.countRecordings(projectId, since),
          retention: [
            {
              data: 'events' as const,
              setting: 'ARCHIVE_RETENTION_DAYS',
              days: eventDays ?? null,
              earliestAt: day === undefined ? null : `${day}T00:00:00.000Z`,
            },
            {
              data: 'recordings' as const,
              setting: 'RECORDINGS_RETENTION_DAYS',
              days: recordingDays ?? null,
              earliestAt: recording?.toISOString() ?? null,
            },
          ],
        },
        200,
      );
    },
    ofProject,
  );
}
