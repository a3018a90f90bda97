import { runService } from '@switchboard/service-kit';
import { archiveService } from './service.ts';

await runService(archiveService);
