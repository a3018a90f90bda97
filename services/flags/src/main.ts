import { runService } from '@switchboard/service-kit/main';

await runService('flags', async () => (await import('./service.ts')).flagsService);
