import { growHeapBy } from '@switchboard/engine';
import { runService } from '@switchboard/http/main';

// V8 also counts the short-lived buffers of events outside of the heap. With its default for a small heap, it would
// scan all of it after every 10 MB of them.
growHeapBy(100);

await runService('archive', async () => (await import('./service.ts')).archiveService);
