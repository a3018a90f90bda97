import { isObject, operations, type WebhookType } from '@switchboard/contracts';
import { changesOf, simple } from './changes.ts';
import type { ConsolePage } from './links.ts';

/** A message as words: a sentence, details, and the page of the console about it. */
interface Saying {
  title: string;
  lines: string[];
  page: ConsolePage;
}

/** The data of a message, and the names of the actor and report in it. */
interface Said {
  data: Readonly<Record<string, unknown>>;
  /** The person, token or schedule that acted. */
  actor: string;
  /** The name of the report. */
  report: string;
}

const MAX_PROPERTIES = 6;

/** Turns the data of each type of message into words. */
export const SAYINGS: Record<WebhookType | 'webhook.test', (said: Said) => Saying> = {
  event: ({ data }) => ({
    title: `Event “${textOf(data['name'])}”`,
    lines: [`Person: ${textOf(data['distinctId'])}`, propertiesOf(data['properties'])],
    page: personPage(data),
  }),
  'report.ran': ({ data, report }) => {
    const { error } = data;
    const page = { title: 'Open the report', path: ['reports', textOf(data['reportId'])] };
    return isObject(error)
      ? { title: `The report “${report}” failed`, lines: [textOf(error['message'])], page }
      : { title: `The report “${report}” ran`, lines: [], page };
  },
  'alert.fired': ({ data }) => ({
    title: `Alert fired: ${textOf(data['name'])}`,
    lines: [measuredOf(data)],
    page: alertPage(data),
  }),
  'alert.recovered': ({ data }) => {
    const { ended } = data;
    const isRecovered = ended === undefined || ended === 'recovered';
    return {
      title: `Alert ${isRecovered ? 'recovered' : 'ended'}: ${textOf(data['name'])}`,
      lines: [isRecovered ? measuredOf(data) : `The alert was ${textOf(ended)}.`],
      page: alertPage(data),
    };
  },
  'cohort.entered': ({ data }) => ({
    title: `${textOf(data['distinctId'])} entered the cohort “${textOf(data['cohortId'])}”`,
    lines: [],
    page: personPage(data),
  }),
  'cohort.left': ({ data }) => ({
    title: `${textOf(data['distinctId'])} left the cohort “${textOf(data['cohortId'])}”`,
    lines: [],
    page: personPage(data),
  }),
  'conversation.opened': ({ data }) => ({
    title: `${visitorOf(data)} opened a conversation`,
    lines: [textOf(data['subject'])],
    page: conversationPage(data),
  }),
  'conversation.turn': ({ data }) => ({
    title: `${AUTHORS[textOf(data['authorKind'])] ?? 'Switchboard'} ${visitorOf(data)}`,
    lines: [textOf(data['subject']), data['truncated'] === true ? '' : textOf(data['text'])],
    page: conversationPage(data),
  }),
  'conversation.resolved': ({ data }) => ({
    title: `The conversation of ${visitorOf(data)} was resolved`,
    lines: [textOf(data['subject'])],
    page: conversationPage(data),
  }),
  'flag.changed': ({ data, actor }) => {
    const { before, after, action } = data;
    const key = idOf(data);
    const isDeleted = action === 'deleteFlag';
    const isNew = action === 'putFlag' && before === null && isObject(after);
    const verb = FLAG_VERBS[textOf(action)] ?? (isNew ? 'created' : 'changed');
    return {
      title: `${actor} ${verb} the flag “${key}”`,
      lines: [...changesOf(before, after), reasonOf(data)],
      page: isDeleted
        ? { title: 'Open the flags', path: ['flags'] }
        : { title: 'Open the flag', path: ['flags', key] },
    };
  },
  'change_request.changed': ({ data, actor }) => {
    const [before, after] = [data['before'], data['after']].map((state) => (isObject(state) ? state : {}));
    const key = textOf(after?.['key']);
    const verb = DECISIONS[textOf(after?.['decision'])] ?? 'opened';
    return {
      title: `${actor} ${verb} a change request${key === '' ? '' : ` for the flag “${key}”`}`,
      lines: [...changesOf(before?.['flag'], after?.['flag']), reasonOf(data)],
      page: { title: 'Open the change request', path: ['flag-requests'], open: idOf(data) },
    };
  },
  'erasure.done': ({ data }) => {
    const id = textOf(data['erasureId']);
    return {
      title: 'A person was erased',
      lines: [`Erasure: ${id}`],
      page: { title: 'Open the erasure', path: ['settings', 'erasures'], open: id },
    };
  },
  audit: ({ data, actor }) => {
    const action = textOf(data['action']);
    const { id, entryId = id } = data;
    return {
      title: `${actor}: ${ACTIONS[action] ?? action}`,
      lines: [textOf(data['object']), data['outcome'] === 'refused' ? 'Refused' : '', reasonOf(data)],
      page: { title: 'Open the audit trail', path: ['settings', 'audit'], open: textOf(entryId) },
    };
  },
  'webhook.test': ({ data }) => {
    const id = textOf(data['webhookId']);
    return {
      title: `Test of the webhook “${id}”`,
      lines: ['Messages of this webhook arrive here.'],
      page: { title: 'Open the webhook', path: ['settings', 'webhooks'], open: id },
    };
  },
};

const AUTHORS: Readonly<Record<string, string>> = {
  visitor: 'Message of',
  teammate: 'Reply to',
  bot: 'Reply of a bot to',
};

const FLAG_VERBS: Readonly<Record<string, string>> = {
  deleteFlag: 'deleted',
  promoteFlag: 'promoted',
  restoreFlagVersion: 'restored',
  scheduleFlagChange: 'scheduled a change of',
  cancelScheduledChange: 'cancelled a change of',
};

const DECISIONS: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrew',
};

/** The words for the actions in the audit trail. */
const ACTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(operations.map(({ operationId, summary = operationId }) => [operationId, summary])),
  applyScheduledChange: 'Apply a scheduled change',
  disableWebhook: 'Disable a webhook',
  finishErasure: 'Finish an erasure',
};

const EXPECTED: Readonly<Record<string, string>> = {
  threshold: 'limit',
  change: 'compared with',
  anomaly: 'median',
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the id in the object of an audit entry, which is kind:id. */
function idOf({ object }: Said['data']): string {
  const text = textOf(object);
  return text.slice(text.indexOf(':') + 1);
}

const reasonOf = ({ reason }: Said['data']) => (textOf(reason) === '' ? '' : `Reason: ${textOf(reason)}`);

/** The user id of a visitor only if it is proven. */
const visitorOf = ({ userId, userVerified, distinctId }: Said['data']) =>
  userVerified === true && typeof userId === 'string' ? userId : textOf(distinctId);

function propertiesOf(properties: unknown): string {
  if (!isObject(properties)) return '';
  const shown = Object.entries(properties).flatMap(([name, value]) => {
    const text = simple(value);
    return text === undefined ? [] : [`${name}: ${text}`];
  });
  return shown.slice(0, MAX_PROPERTIES).join(', ');
}

function measuredOf({ value, expected, bucket, rule }: Said['data']): string {
  const number = (given: unknown) => (typeof given === 'number' ? given.toLocaleString('en') : 'none');
  const label = EXPECTED[isObject(rule) ? textOf(rule['kind']) : ''];
  const besides =
    label === undefined || typeof expected !== 'number' ? '' : ` (${label} ${number(expected)})`;
  return `Value: ${number(value)}${besides}, ${textOf(bucket)}`;
}

const personPage = ({ distinctId }: Said['data']) => ({
  title: 'Open the person',
  path: ['people', textOf(distinctId)],
});
const alertPage = ({ alertId }: Said['data']) => ({
  title: 'Open the alert',
  path: ['alerts'],
  open: textOf(alertId),
});
const conversationPage = ({ conversationId }: Said['data']) => ({
  title: 'Open the conversation',
  path: ['inbox'],
  open: textOf(conversationId),
});
