import { setFlagsFromString } from 'node:v8';
import { runService } from '@switchboard/http/main';

// By default, V8 lets the heap grow to four times the live memory. In an overload, that includes waiting
// requests. V8 returns little of that memory. With a lower value, requests of a single event take more CPU.
setFlagsFromString('--heap-growing-percent=160');

await runService('ingestion', async () => (await import('./service.ts')).ingestionService);
