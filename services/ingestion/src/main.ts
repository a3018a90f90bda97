import { setFlagsFromString } from 'node:v8';
import { runService } from '@switchboard/service-kit/main';

// By its own measure V8 lets the old generation grow to several times what is alive: requests that an overload kept
// waiting. It gives little of that memory back. A quarter costs no more collections than bodies did that waited for one.
setFlagsFromString('--heap-growing-percent=25');

await runService('ingestion', async () => (await import('./service.ts')).ingestionService);
