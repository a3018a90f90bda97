import { growHeapBy } from '@switchboard/engine';
import { runService } from '@switchboard/http/main';

// In an overload, the live memory includes the waiting requests. With a lower value, requests of a single event take
// more CPU.
growHeapBy(160);

await runService('ingestion', async () => (await import('./service.ts')).ingestionService);
