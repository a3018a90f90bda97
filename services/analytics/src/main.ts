import { runService } from '@switchboard/http/main';

await runService('analytics', async () => (await import('./service.ts')).analyticsService);
