import { runService } from '@switchboard/service-kit';
import { catalogueService } from './service.ts';

await runService(catalogueService);
