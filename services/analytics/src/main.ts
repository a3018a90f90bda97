import { runService } from '@switchboard/service-kit/main';

await runService('analytics', async () => (await import('./service.ts')).analyticsService);
