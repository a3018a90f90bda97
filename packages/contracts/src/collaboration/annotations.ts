import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { day, id, timestamp, writtenText } from '../fields.ts';
import { operation } from '../operation.ts';
import { annotationId, reportId as ofReport } from '../path-ids.ts';
import { consoleFacts, projectParams } from './facts.ts';

const reportId = id.nullable().optional().openapi({ description: 'null or absent: the whole project.' });

const marks = {
  reportId,
  startsOn: day,
  text: writtenText(200),
  tags: z.array(writtenText(50)).min(1).max(10).openapi({ description: 'Duplicates collapse.' }),
};

const theAnnotation = {
  id: 'ann_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  reportId: null,
  startsOn: '2026-03-01',
  endsOn: '2026-03-03',
  text: 'Spring campaign',
  tags: ['marketing'],
  createdByName: 'Ada Lovelace',
  createdAt: '2026-03-01T09:30:00.000Z',
  updatedAt: '2026-03-01T09:30:00.000Z',
  canChange: true,
};

export const annotation = z
  .object({
    id,
    ...marks,
    endsOn: day,
    createdByName: z.string().nullable().optional(),
    createdAt: timestamp,
    updatedAt: timestamp,
    canChange: z.boolean().openapi({ description: 'Whether the caller may change or delete it.' }),
  })
  .openapi('Annotation', { example: theAnnotation });
export type Annotation = z.infer<typeof annotation>;

export const annotationDefinition = z
  .strictObject({
    ...marks,
    endsOn: day.optional().openapi({ description: 'The last day of a range; absent: one day.' }),
  })
  .refine(({ startsOn, endsOn }) => endsOn === undefined || endsOn >= startsOn, {
    path: ['endsOn'],
    message: 'before startsOn',
  })
  .openapi('AnnotationDefinition');
export type AnnotationDefinition = z.infer<typeof annotationDefinition>;

const facts = { ...consoleFacts, tag: 'Annotations' } as const;
const path = '/v1/projects/{projectId}/annotations';
const onePath = '/v1/projects/{projectId}/annotations/{annotationId}';
const oneParams = z.object({ ...projectParams, annotationId });

const example = {
  startsOn: '2026-03-01',
  endsOn: '2026-03-03',
  text: 'Spring campaign',
  tags: ['marketing'],
};

export const listAnnotations = operation({
  ...facts,
  operationId: 'listAnnotations',
  method: 'get',
  path,
  summary: 'Annotations whose days overlap a range',
  description:
    'Both ends are inclusive. Ordered by startsOn, createdAt, id. The annotations of the project, and with reportId those of that report as well; a reportId unknown in the project is 404.',
  request: {
    params: z.object(projectParams),
    query: z
      .object({ from: day, to: day.openapi({ example: '2026-03-31' }), reportId: ofReport.optional() })
      .refine(({ from, to }) => from <= to, { path: ['to'], message: 'before from' }),
  },
  responses: {
    200: jsonAnswer('The annotations, earliest first.', z.object({ annotations: z.array(annotation) }), {
      annotations: [theAnnotation],
    }),
  },
});

export const createAnnotation = operation({
  ...facts,
  operationId: 'createAnnotation',
  method: 'post',
  path,
  summary: 'Add an annotation',
  description:
    'On one report with reportId, else on every chart of the project whose dates cover it. Any member of the company may.',
  request: { params: z.object(projectParams), body: jsonBody(annotationDefinition, example) },
  responses: { 201: jsonAnswer('The annotation.', annotation) },
});

export const changeAnnotation = operation({
  ...facts,
  operationId: 'changeAnnotation',
  method: 'patch',
  path: onePath,
  summary: 'Replace the days, text, tags and place of an annotation',
  description:
    'Replaces all: an absent endsOn makes it one day, an absent reportId project-wide. Open to its author and to holders of service.annotations.write.',
  request: { params: oneParams, body: jsonBody(annotationDefinition, example) },
  responses: { 200: jsonAnswer('The annotation.', annotation) },
});

export const deleteAnnotation = operation({
  ...facts,
  operationId: 'deleteAnnotation',
  method: 'delete',
  path: onePath,
  summary: 'Remove an annotation from every chart',
  description:
    'Open to its author and to holders of service.annotations.write. Also 204 when it is not there.',
  request: { params: oneParams },
  responses: { 204: { description: 'It is not there (any more).' } },
});
