import { runService } from '@switchboard/http/main';

await runService('collaboration', async () => (await import('./service.ts')).collaborationService);
