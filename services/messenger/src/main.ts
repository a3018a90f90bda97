import { runService } from '@switchboard/service-kit/main';

await runService('messenger', async () => (await import('./service.ts')).messengerService);
