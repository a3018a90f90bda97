import { runService } from '@switchboard/http/main';

await runService('flags', async () => (await import('./service.ts')).flagsService);
