import { region } from '@switchboard/contracts';
import { commonSettings, eventLogSettings, rolesSetting } from '@switchboard/service-kit';
import { z } from 'zod';

export const catalogueSettings = z.object({
  ...commonSettings,
  ...eventLogSettings,
  ERASURE_SERVICES: rolesSetting([
    'analytics',
    'archive',
    'collaboration',
    'flags',
    'ingestion',
    'messenger',
  ]).describe('Services that run in every region; an erasure is done once each has reported it.'),
  ERASURE_REGIONS: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(region))
    .optional()
    .meta({ values: 'regions' })
    .describe('Regions in which colleagues are erased. Default: this one and those of all projects.'),
});

export type CatalogueConfig = z.output<typeof catalogueSettings>;
