import { runService } from '@switchboard/http/main';

await runService('identity', async () => (await import('./service.ts')).identityService);
