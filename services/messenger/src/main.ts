import { runService } from '@switchboard/http/main';

await runService('messenger', async () => (await import('./service.ts')).messengerService);
