import { setFlagsFromString } from 'node:v8';
import { runService } from '@switchboard/service-kit/main';

// By its own measure V8 lets the heap grow to four times what is alive: in an overload, requests that wait. It gives
// little of that memory back. Less than this costs requests of a single event more CPU.
setFlagsFromString('--heap-growing-percent=160');

await runService('ingestion', async () => (await import('./service.ts')).ingestionService);
