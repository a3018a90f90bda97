import { runService } from '@switchboard/http/main';

await runService('catalogue', async () => (await import('./service.ts')).catalogueService);
