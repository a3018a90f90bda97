import { setFlagsFromString } from 'node:v8';
import { runService } from '@switchboard/http/main';

// Lets the heap grow to twice its live size, below its limit. V8 also counts the short-lived buffers of events
// outside of the heap: with its default for a small heap, it would scan all of it after every 10 MB of them.
setFlagsFromString('--heap-growing-percent=100');

await runService('archive', async () => (await import('./service.ts')).archiveService);
