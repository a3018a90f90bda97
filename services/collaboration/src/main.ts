import { runService } from '@switchboard/service-kit';
import { collaborationService } from './service.ts';

await runService(collaborationService);
