import { runService } from '@switchboard/service-kit/main';

await runService('catalogue', async () => (await import('./service.ts')).catalogueService);
