import { runService } from '@switchboard/http/main';

await runService('delivery', async () => (await import('./service.ts')).deliveryService);
