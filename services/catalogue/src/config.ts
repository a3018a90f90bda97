import { commonSettings, eventLogSettings } from '@switchboard/service-kit';
import { z } from 'zod';

export const catalogueSettings = z.object({ ...commonSettings, ...eventLogSettings });

export type CatalogueConfig = z.output<typeof catalogueSettings>;
