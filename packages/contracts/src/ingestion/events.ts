import { z } from '@hono/zod-openapi';
import { isObject, timestamp } from '../fields/fields.ts';
import type { JsonObject } from '../fields/json.ts';
import { rfc3339Fault, withoutLeapSecond } from '../fields/rfc3339.ts';
import { nonBlankTextFault, textFault } from '../fields/text.ts';
import { apiKey } from './api-key.ts';

/** Maximum number of events in a batch. */
export const EVENTS_MAX_COUNT = 1000;

/** Maximum length of the texts of an event, in code points. */
export const EVENT_MAX_TEXT = 200;

// Only the OpenAPI document uses these bounds. `eventFaults` enforces them: a check on each field would double the
// validation time of an event.
const requiredText = z.string().openapi({ minLength: 1, maxLength: EVENT_MAX_TEXT });
const contextText = z.string().nullable().optional().openapi({ maxLength: EVENT_MAX_TEXT });
const properties: z.ZodOptional<z.ZodType<JsonObject>> = z
  .any()
  .optional()
  .openapi({ type: 'object', additionalProperties: true });

export const eventContext = z
  .object({ locale: contextText, os: contextText, sdk: contextText, sdk_version: contextText })
  .openapi('EventContext');
export type EventContext = z.infer<typeof eventContext>;

/** The fields of an event. `eventBatch` enforces their bounds. */
export const event = z
  .object({
    distinct_id: requiredText,
    event_id: requiredText,
    event_name: requiredText,
    schema_version: z.int(),
    timestamp: z.string().openapi({ format: 'date-time', example: '2026-03-01T09:30:00.000Z' }),
    session_id: z.string().nullable().optional().openapi({ minLength: 1, maxLength: EVENT_MAX_TEXT }),
    properties,
    context: eventContext.optional(),
  })
  .openapi('Event');
export type Event = z.infer<typeof event>;

type TextFault = (text: string) => string | undefined;
const idFault: TextFault = (text) => nonBlankTextFault(text, EVENT_MAX_TEXT);

/** Returns why a text of an event is out of bounds, by field, or undefined if it is within bounds. */
export const eventTextFaults = {
  distinct_id: idFault,
  event_id: idFault,
  event_name: idFault,
  timestamp: rfc3339Fault,
  session_id: idFault,
  /** Checks each text of the context. */
  context: (text) => textFault(text, 0, EVENT_MAX_TEXT),
} satisfies Record<string, TextFault>;

const requiredTexts = ['distinct_id', 'event_id', 'event_name', 'timestamp'] as const;
const contextTexts = ['locale', 'os', 'sdk', 'sdk_version'] as const;

type Report = (path: string[], message: string) => void;

/** Reports the fields of a well-typed event that are out of bounds. */
function eventFaults(value: Event, report: Report): void {
  for (const name of requiredTexts) {
    const fault = eventTextFaults[name](value[name]);
    if (fault) report([name], fault);
  }
  if (typeof value.session_id === 'string') {
    const fault = eventTextFaults.session_id(value.session_id);
    if (fault) report(['session_id'], fault);
  }
  if (value.properties !== undefined && !isObject(value.properties)) report(['properties'], 'not an object');
  if (value.context !== undefined) contextFaults(value.context, report);
}

function contextFaults(context: EventContext, report: Report): void {
  for (const name of contextTexts) {
    const value = context[name];
    const fault = typeof value === 'string' ? eventTextFaults.context(value) : undefined;
    if (fault) report(['context', name], fault);
  }
}

/** A batch of 1 to 1,000 events. Unknown properties of an event are dropped. */
export const eventBatch = z
  .object({
    api_key: apiKey,
    events: z
      .array(event)
      .min(1, 'empty')
      .max(EVENTS_MAX_COUNT, `more than ${EVENTS_MAX_COUNT} events`)
      .check(({ value, issues }) => {
        for (const [index, candidate] of value.entries()) {
          candidate.timestamp = withoutLeapSecond(candidate.timestamp);
          eventFaults(candidate, (path, message) =>
            issues.push({ code: 'custom', input: candidate, path: [index, ...path], message }),
          );
        }
      }),
    sent_at: timestamp,
  })
  .openapi('EventBatch');
export type EventBatch = z.infer<typeof eventBatch>;
