import { runService } from '@switchboard/service-kit/main';

await runService('collaboration', async () => (await import('./service.ts')).collaborationService);
