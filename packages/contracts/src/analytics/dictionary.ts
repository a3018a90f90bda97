import { z } from '@hono/zod-openapi';
import { id, text } from '../fields/fields.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';

/** An explanation of an event name or of a property name, which applies to the property of every event. */
export const dictionaryDefinition = z
  .object({
    description: text({ max: 1000 }).default(''),
    owner: id
      .nullable()
      .default(null)
      .openapi({ description: 'The sub of the member who answers questions about it.' }),
    hidden: z.boolean().default(false).openapi({ description: 'Suggestions omit the name.' }),
    verified: z.boolean().default(false).openapi({ description: 'A colleague has checked its use.' }),
  })
  .openapi('DictionaryDefinition');
export type DictionaryDefinition = z.infer<typeof dictionaryDefinition>;

export const dictionaryKind = z.enum(['event', 'property']).openapi({ example: 'event' });
export const dictionaryName = text({ min: 1, max: 200 }).openapi({ example: 'order placed' });

export const dictionaryEntry = dictionaryDefinition
  .extend({ kind: dictionaryKind, name: dictionaryName })
  .openapi('DictionaryEntry');
export type DictionaryEntry = z.infer<typeof dictionaryEntry>;

const common = managementOf('analytics');
const page = paging(200);
const DICTIONARY = '/management/v1/projects/{projectId}/dictionary';
const ENTRY = `${DICTIONARY}/{kind}/{name}` as const;
const entryParams = z.object({ ...projectParams, kind: dictionaryKind, name: dictionaryName });
const example: DictionaryEntry = {
  kind: 'event',
  name: 'order placed',
  description: 'A visitor has paid. Sent by the shop, once for each order.',
  owner: null,
  hidden: false,
  verified: true,
};
const { kind: _, name: __, ...exampleDefinition } = example;

export const listDictionary = operation({
  ...common,
  operationId: 'listDictionary',
  permission: 'dictionary.read',
  method: 'get',
  path: DICTIONARY,
  summary: 'List the dictionary of a project',
  description: `Returns the explained names of events and properties, sorted by kind and name. listEventNames and listEventProperties return what the project sends. ${page.description}`,
  request: { params: z.object(projectParams), query: z.object(page.query) },
  responses: {
    200: jsonResponse(
      'A page of entries.',
      z.object({ dictionary: z.array(dictionaryEntry), ...page.answer }),
      { dictionary: [example], nextCursor: null },
    ),
  },
});

export const getDictionaryEntry = operation({
  ...common,
  operationId: 'getDictionaryEntry',
  permission: 'dictionary.read',
  method: 'get',
  path: ENTRY,
  summary: 'Get an entry of the dictionary',
  request: { params: entryParams },
  responses: { 200: jsonResponse('The entry.', dictionaryEntry, example) },
  errors: { 404: { description: 'Project or entry not found.', message: 'Entry not found.' } },
});

export const putDictionaryEntry = operation({
  ...common,
  operationId: 'putDictionaryEntry',
  permission: 'dictionary.write',
  method: 'put',
  path: ENTRY,
  summary: 'Create or replace an entry of the dictionary',
  description: 'A project has at most 5,000 entries.',
  request: { params: entryParams, body: jsonBody(dictionaryDefinition, exampleDefinition) },
  responses: { 200: jsonResponse('The stored entry.', dictionaryEntry, example) },
  errors: { 404: 'Project not found.' },
});

export const deleteDictionaryEntry = operation({
  ...common,
  operationId: 'deleteDictionaryEntry',
  permission: 'dictionary.write',
  method: 'delete',
  path: ENTRY,
  summary: 'Delete an entry of the dictionary',
  request: { params: entryParams },
  responses: { 204: deleted },
});
