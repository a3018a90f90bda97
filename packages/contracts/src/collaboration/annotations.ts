import { z } from '@hono/zod-openapi';
import { day, id, nonBlankText, timestamp } from '../fields/fields.ts';
import { annotationId, reportId as ofReport } from '../fields/ids.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { consoleCommon, projectParams } from './common.ts';

const reportId = id
  .nullable()
  .optional()
  .openapi({ description: 'The report. null or absent for the whole project.' });

const marks = {
  reportId,
  startsOn: day,
  text: nonBlankText(200),
  tags: z.array(nonBlankText(50)).min(1).max(10).openapi({ description: 'Duplicates are removed.' }),
};

const annotationExample = {
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
    canChange: z
      .boolean()
      .openapi({ description: 'Whether the caller can change or delete the annotation.' }),
  })
  .openapi('Annotation', { example: annotationExample });
export type Annotation = z.infer<typeof annotation>;

export const annotationDefinition = z
  .strictObject({
    ...marks,
    endsOn: day.optional().openapi({ description: 'The last day of a range. Absent for a single day.' }),
  })
  .refine(({ startsOn, endsOn }) => endsOn === undefined || endsOn >= startsOn, {
    path: ['endsOn'],
    message: 'before startsOn; must be the same day or later',
  })
  .openapi('AnnotationDefinition');
export type AnnotationDefinition = z.infer<typeof annotationDefinition>;

const common = { ...consoleCommon, tag: 'Annotations' } as const;
const ANNOTATIONS_PATH = '/v1/projects/{projectId}/annotations';
const ANNOTATION_PATH = '/v1/projects/{projectId}/annotations/{annotationId}';
const oneParams = z.object({ ...projectParams, annotationId });

const example = {
  startsOn: '2026-03-01',
  endsOn: '2026-03-03',
  text: 'Spring campaign',
  tags: ['marketing'],
};

export const listAnnotations = operation({
  ...common,
  operationId: 'listAnnotations',
  permission: 'annotations.read',
  method: 'get',
  path: ANNOTATIONS_PATH,
  summary: 'List annotations in a date range',
  description:
    'Returns the annotations of the project that overlap the range, both ends included, sorted by startsOn, createdAt and id. With reportId, the annotations of that report are included. An unknown reportId gets 404.',
  request: {
    params: z.object(projectParams),
    query: z
      .object({ from: day, to: day.openapi({ example: '2026-03-31' }), reportId: ofReport.optional() })
      .refine(({ from, to }) => from <= to, {
        path: ['to'],
        message: 'before from; must be the same day or later',
      }),
  },
  responses: {
    200: jsonResponse('The annotations, earliest first.', z.object({ annotations: z.array(annotation) }), {
      annotations: [annotationExample],
    }),
  },
});

export const createAnnotation = operation({
  ...common,
  operationId: 'createAnnotation',
  permission: 'annotations.write',
  method: 'post',
  path: ANNOTATIONS_PATH,
  summary: 'Create an annotation',
  description:
    'With reportId, the annotation is shown on that report. Without it, the annotation is shown on every chart of the project that covers its dates.',
  request: { params: z.object(projectParams), body: jsonBody(annotationDefinition, example) },
  responses: { 201: jsonResponse('The annotation.', annotation) },
});

export const changeAnnotation = operation({
  ...common,
  operationId: 'changeAnnotation',
  permission: 'annotations.write',
  method: 'patch',
  path: ANNOTATION_PATH,
  summary: 'Update an annotation',
  description:
    'Replaces the whole annotation: without endsOn it covers a single day, without reportId it applies to the whole project. Open to the author and to holders of the permission service.annotations.write.',
  request: { params: oneParams, body: jsonBody(annotationDefinition, example) },
  responses: { 200: jsonResponse('The annotation.', annotation) },
});

export const deleteAnnotation = operation({
  ...common,
  operationId: 'deleteAnnotation',
  permission: 'annotations.write',
  method: 'delete',
  path: ANNOTATION_PATH,
  summary: 'Delete an annotation',
  description:
    'Removes the annotation from every chart. Open to the author and to holders of the permission service.annotations.write.',
  request: { params: oneParams },
  responses: { 204: deleted },
});
