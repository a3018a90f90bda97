import { runService } from '@switchboard/service-kit/main';

await runService('ingestion', async () => (await import('./service.ts')).ingestionService);
