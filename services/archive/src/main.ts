import { runService } from '@switchboard/service-kit/main';

await runService('archive', async () => (await import('./service.ts')).archiveService);
