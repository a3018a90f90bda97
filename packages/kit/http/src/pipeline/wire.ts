import { routingPath, type WireOperation } from '@switchboard/contracts';
import type { Context, Hono } from 'hono';
import type { Bodies } from '../body/bodies.ts';
import { parseJson, withoutMark } from '../body/json.ts';
import { createUnzip, type Unzip } from '../body/unzip.ts';
import { settleOrigin } from '../exchange/cors.ts';
import type { Credentials } from '../exchange/credentials.ts';
import type { KitEnv, ProjectAccess } from '../exchange/env.ts';
import { BadRequest, Forbidden, Unauthorized } from '../exchange/errors.ts';
import { fairnessKeyOf, fairnessKeyOfProject } from '../overload/fairness-key.ts';
import type { Quota } from '../overload/quota.ts';
import { textFault } from './validate.ts';

/** A request of another product's SDK, once its project is known. */
interface WireRequest {
  c: Context<KitEnv>;
  project: ProjectAccess;
  /** The parsed body; undefined for an operation without one. */
  body: unknown;
  /** Decompresses parts of the body, all together within the operation's limit. They count towards the quota. */
  unzip: Unzip;
}

type Answer = Response | Promise<Response>;

interface WireOptions {
  /** Returns the project key in the headers or the query. */
  keyOf(c: Context<KitEnv>): string | undefined;
  /** Returns the project key in a body. Absent if it is never there. */
  keyIn?(body: unknown): string | undefined;
  /** Where the SDK sends the key, for the message of a 401. */
  keyPlace: string;
  /** The limit of a body without a key in the header, sent and decompressed. */
  maxBytesWithoutKey?: number;
  /**
   * Returns the JSON in a body, which may be gzip without a header. Must not return more bytes than the body has.
   * Default: the body.
   */
  unwrap?(bytes: Buffer): Buffer;
  /** Returns the response to a project before its body is read; undefined to go on. */
  authorize?(project: ProjectAccess): Response | undefined;
  quota?: Quota;
}

/** Serves an operation of another product's API, behind the same limits as our own. */
export type ImplementWire = (
  operation: WireOperation,
  handler: (request: WireRequest) => Answer,
  options: WireOptions,
) => void;

interface Pipeline {
  hono: Hono<KitEnv>;
  bodies: Bodies;
  credentials: Pick<Credentials, 'projectKey'>;
  assertStarted: () => void;
}

/** The same limit as for our own operations: that of sendBeacon. */
const MAX_BYTES_WITHOUT_KEY = 65_536;

const noParts: Unzip = () => Promise.resolve(undefined);
const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * Returns a function that registers operations of other products. It is separate from `implementing`, so that foreign
 * places of the key cost our own requests nothing.
 */
export function implementingWires({ hono, bodies, credentials, assertStarted }: Pipeline): ImplementWire {
  return (operation, handler, options) => {
    const { keyOf, keyIn, keyPlace, unwrap, authorize, quota } = options;
    const { maxBytesWithoutKey = MAX_BYTES_WITHOUT_KEY } = options;
    const { wire, maxBodyBytes, maxWireBytes = maxBodyBytes, maxBodyValues } = operation;
    const hasBody = operation.request?.body !== undefined;

    async function enter(c: Context<KitEnv>, key: string | undefined): Promise<ProjectAccess> {
      if (key === undefined) throw new Unauthorized(`Project key missing. Send it as ${keyPlace}.`);
      const project = await credentials.projectKey(key);
      c.env.projectId = project.id;
      if (project.allowedOrigins !== undefined) settleOrigin(c, project.allowedOrigins);
      if (!project.wires?.includes(wire))
        throw new Forbidden(`wires: ${wire} is off for this project. Add it to wires of the project.`);
      quota?.check('project', project.id);
      return project;
    }

    async function answerBody(c: Context<KitEnv>, known: ProjectAccess | undefined): Promise<Response> {
      const reservation = bodies.reserve(c);
      const bounds =
        known === undefined
          ? { maxBytes: maxBytesWithoutKey, hint: ` without a key in the header. Send it as ${keyPlace}.` }
          : { maxBytes: maxBodyBytes, maxWireBytes };
      let body: unknown;
      let fault: BadRequest | undefined;
      try {
        try {
          let bytes = await bodies.read(c, reservation, bounds);
          if (unwrap !== undefined) {
            if (isGzip(bytes)) bytes = await bodies.gunzip(c, reservation, bytes, bounds);
            bytes = unwrap(bytes);
          }
          bytes = withoutMark(bytes);
          body = await parseJson(bytes, { reservation, fairnessKey: fairnessKeyOf(c.env), maxBodyValues });
        } catch (error) {
          if (!(error instanceof BadRequest)) throw error;
          fault = error;
        } finally {
          quota?.charge('address', c.env.address, reservation.taken());
          if (known !== undefined) quota?.charge('project', known.id, reservation.taken());
        }
        const project = known ?? (await enter(c, keyIn?.(body)));
        if (known === undefined) {
          reservation.join(fairnessKeyOfProject(project.id));
          quota?.charge('project', project.id, reservation.taken());
        }
        const refused = known === undefined ? authorize?.(project) : undefined;
        if (refused !== undefined) return refused;
        if (fault !== undefined) throw fault;
        const charged = reservation.taken();
        const fairnessKey = fairnessKeyOf(c.env);
        const unzip = createUnzip({ reservation, fairnessKey, maxBytes: maxBodyBytes });
        try {
          return await handler({ c, project, body, unzip });
        } finally {
          const unzipped = reservation.taken() - charged;
          if (unzipped > 0) {
            quota?.charge('address', c.env.address, unzipped);
            quota?.charge('project', project.id, unzipped);
          }
        }
      } finally {
        reservation.release();
      }
    }

    hono.on(operation.method.toUpperCase(), routingPath(operation.path), async (c) => {
      c.env.operation = operation;
      assertStarted();
      quota?.check('address', c.env.address);
      const fault = textFault(c.req.url, operation.path);
      if (fault !== undefined) throw fault;
      const key = keyOf(c);
      const project = key === undefined && keyIn !== undefined ? undefined : await enter(c, key);
      const refused = project && authorize?.(project);
      if (refused !== undefined) return refused;
      if (hasBody) return answerBody(c, project);
      if (project === undefined) throw new Error(`${operation.operationId} has no body for a key`);
      return handler({ c, project, body: undefined, unzip: noParts });
    });
  };
}
