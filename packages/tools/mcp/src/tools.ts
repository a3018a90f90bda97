import {
  fromJsonSchema,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { type Operation, operations } from '@switchboard/contracts';
import { z } from 'zod';

/** The operations that a model may call. They change nothing. */
const READING = [
  'listOwnProjects',
  'askInsight',
  'listInsightPeople',
  'runSql',
  'listEventNames',
  'listEventProperties',
  'listEvents',
  'getArrival',
  'listRejections',
  'listWireUsage',
  'listPeople',
  'getPerson',
  'listGroups',
  'getGroup',
  'listFlags',
  'getFlag',
  'listFlagVersions',
  'listFlagUsage',
  'listCohorts',
  'listChangeRequests',
  'listConversations',
  'readConversation',
  'searchTurns',
  'listReports',
  'listDashboards',
  'getDashboardReports',
  'listThreads',
] as const;

/** The operations that change data. They are off by default. */
const WRITING = [
  'createAnnotation',
  'startThread',
  'replyToThread',
  'addConversationNote',
  'putReport',
  'putCohort',
  'requestFlagChange',
  'scheduleFlagChange',
] as const;

type ToolName = (typeof READING | typeof WRITING)[number];

/** A tool, and the operation that it calls. */
export interface Tool {
  name: ToolName;
  title: string;
  description: string;
  isReadOnly: boolean;
  /** JSON Schema of the arguments: those of the path and the query by name, and `body`. */
  inputSchema: Record<string, unknown>;
  /** The same as a validator, which servers share. */
  argumentsSchema: StandardSchemaWithJSON<Record<string, unknown>>;
  /** Returns the input of the operation for arguments of `inputSchema`. */
  inputOf(args: Record<string, unknown>): {
    params: Record<string, string>;
    query: Record<string, string>;
    body?: unknown;
  };
}

/** Returns the tools, made from the contracts. */
export function toolsOf({ isWriting }: { isWriting: boolean }): Tool[] {
  const validator = lazyValidator();
  return [
    ...READING.map((name) => toolOf(name, { isReadOnly: true, validator })),
    ...(isWriting ? WRITING.map((name) => toolOf(name, { isReadOnly: false, validator })) : []),
  ];
}

/** Compiles the schema of a tool at its first call. Those of all tools together take a second, and 30 MB. */
function lazyValidator(): jsonSchemaValidator {
  const compiler = new AjvJsonSchemaValidator();
  return {
    getValidator<T>(schema: Parameters<typeof compiler.getValidator>[0]) {
      let validate: JsonSchemaValidator<T> | undefined;
      return (input: unknown) => {
        validate ??= compiler.getValidator<T>(schema);
        return validate(input);
      };
    },
  };
}

interface ToolOptions {
  isReadOnly: boolean;
  validator: jsonSchemaValidator;
}

function toolOf(name: ToolName, { isReadOnly, validator }: ToolOptions): Tool {
  const operation = operations.find(({ operationId }) => operationId === name);
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  const { summary = name, description } = operation;
  const { params, query, body } = schemasOf(operation);
  const shape = { ...params, ...query, ...(body === undefined ? {} : { body }) };
  const named = (args: Record<string, unknown>, names: object) =>
    Object.fromEntries(
      Object.entries(args).flatMap(([key, value]) =>
        key in names && value != null ? [[key, textOf(value)]] : [],
      ),
    );
  const inputSchema: Record<string, unknown> = z.toJSONSchema(z.object(shape), {
    io: 'input',
    unrepresentable: 'any',
  });
  return {
    name,
    title: summary,
    description: description === undefined ? summary : `${summary}. ${description}`,
    isReadOnly,
    inputSchema,
    argumentsSchema: fromJsonSchema<Record<string, unknown>>(inputSchema, validator),
    inputOf: (args) => ({
      params: named(args, params),
      query: named(args, query),
      ...(body === undefined ? {} : { body: args['body'] }),
    }),
  };
}

/** Arguments of a query are texts; lists and objects in them are JSON. */
const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function schemasOf({ request = {} }: Operation) {
  const content = request.body?.content['application/json'];
  const schema = content !== undefined && 'schema' in content ? content.schema : undefined;
  return {
    params: shapeOf(request.params),
    query: shapeOf(request.query),
    body: schema instanceof z.ZodType ? schema : undefined,
  };
}

function shapeOf(schema: unknown): Record<string, z.ZodType> {
  if (schema === undefined) return {};
  if (!(schema instanceof z.ZodObject)) throw new Error('the parameters of an operation are no object');
  return schema.shape;
}
