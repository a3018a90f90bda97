// Generated from the contracts by `npx pnpm@12 run docs`; a test fails when it is stale.
export type AiMarkup = {
  markupPercent: number;
};
/** Prices are before the markup. */
export type AiModel = AiModelDefinition & {
  id: string;
};
/** Prices are before the markup. */
export type AiModelDefinition = {
  displayName: string;
  perMillion: {
    input: number;
    output: number;
    cacheWrite5m: number;
    cacheWrite1h: number;
    cacheRead: number;
  };
};
export type Anchor = {
  metric?: string | null | undefined;
  bucket?: string | null | undefined;
  breakdown?: Array<string> | null | undefined;
  step?: number | null | undefined;
  event?: string | null | undefined;
  cohortBucket?: string | null | undefined;
  period?: number | null | undefined;
  daysActive?: number | null | undefined;
  state?: string | null | undefined;
} | null;
export type AnchorRequest = {
  metric?: string | null | undefined;
  bucket?: string | null | undefined;
  breakdown?: Array<string> | null | undefined;
  step?: number | null | undefined;
  event?: string | null | undefined;
  cohortBucket?: string | null | undefined;
  period?: number | null | undefined;
  daysActive?: number | null | undefined;
  state?: string | null | undefined;
} | null;
export type Annotation = {
  id: string;
  /** The report. null or absent for the whole project. */
  reportId?: string | null | undefined;
  startsOn: string;
  text: string;
  /** Duplicates are removed. */
  tags: Array<string>;
  endsOn: string;
  createdByName?: string | null | undefined;
  createdAt: string;
  updatedAt: string;
  /** Whether the caller can change or delete the annotation. */
  canChange: boolean;
};
export type AnnotationDefinition = {
  /** The report. null or absent for the whole project. */
  reportId?: string | null | undefined;
  startsOn: string;
  text: string;
  /** Duplicates are removed. */
  tags: Array<string>;
  /** The last day of a range. Absent for a single day. */
  endsOn?: string | undefined;
};
export type ApiToken = {
  id: string;
  kind: 'personal' | 'service';
  name: string;
  /** Whom a personal token acts as; null for a service token. */
  sub: string | null;
  /** null: not known, or erased. */
  createdBy: string | null;
  permissions: Array<string>;
  projectIds: Array<string> | null;
  createdAt: string;
  expiresAt: string;
  rotatedAt: string | null;
  /** To within two minutes. null: not used so far. */
  lastUsedAt: string | null;
};
export type ApiTokenDefinitionInput = {
  name: string;
  /** personal: acts as its maker, with no more than their role has at that moment. service: belongs to the company, and needs tokens.write. */
  kind: 'personal' | 'service';
  /** The permissions of the token, limited to those of its maker. */
  permissions: Array<
    | 'directory.read'
    | 'flags.read'
    | 'cohorts.read'
    | 'messenger.read'
    | 'tokens.own'
    | 'insights.read'
    | 'events.read'
    | 'people.read'
    | 'annotations.read'
    | 'annotations.write'
    | 'comments.read'
    | 'comments.write'
    | 'conversations.read'
    | 'conversations.reply'
    | 'messages.send'
    | 'replays.read'
    | 'flags.write'
    | 'cohorts.write'
    | 'reports.write'
    | 'reports.publish'
    | 'reports.share'
    | 'messenger.write'
    | 'members.read'
    | 'members.write'
    | 'projects.write'
    | 'keys.write'
    | 'secrets.write'
    | 'conversations.revoke'
    | 'tokens.write'
    | 'replays.delete'
    | 'people.erase'
    | 'admins.write'
    | 'company.write'
    | 'audit.read'
  >;
  /** The only projects it works in. null: every project of the company, and the company. */
  projectIds?: Array<string> | null | undefined;
  /** Days until it expires. The deployment bounds it, by default to 365. */
  expiresInDays?: number | undefined;
};
export type ApiTokenRotationInput = {
  /** Days until it expires. The deployment bounds it, by default to 365. */
  expiresInDays?: number | undefined;
  /** How long the old value stays valid beside the new one. 0: it ends at once. */
  overlapSeconds?: number | undefined;
};
export type ArticleSearch = {
  on: boolean;
  placement: Placement;
};
export type Attachment = UploadedAttachment & {
  /** Path of the download endpoint. */
  url: string;
};
export type AuditEntry = {
  id: string;
  at: string;
  actor: {
    kind: 'person' | 'service' | 'scheduler' | 'nobody';
    /** The sub of the person, or the id of the service token or scheduled change. */
    id: string | null;
    /** The personal or service token that was used, if one was. */
    tokenId: string | null;
  };
  /** The operationId; applyScheduledChange, where the scheduler changed a flag. */
  action: string;
  /** The object of the action, as kind:id. */
  object: string;
  outcome: 'allowed' | 'refused';
  /** 401, 403 or 404 of a refusal. */
  status: number | null;
  companyId: string | null;
  projectId: string | null;
  /** The state before, for flags, roles and tokens. Absent if the object did not exist. */
  before?: unknown | undefined;
  /** The state after, for flags, roles and tokens. Absent if the object does not exist. */
  after?: unknown | undefined;
  /** Why, if the caller said so. */
  reason: string | null;
  /** IPv4 address or IPv6 /64 network; none, for the scheduler. */
  address: string;
  requestId: string | null;
  region: string;
  service: string;
  /** Above 1: the number of similar refusals between at and until that have no entries of their own. */
  count: number;
  until: string | null;
};
export type AuthorKind = 'visitor' | 'teammate' | 'bot' | 'system';
/** A condition on a trait, distinct_id or group.<type>.<trait>. */
export type Clause = {
  attribute: string;
  op:
    | 'eq'
    | 'neq'
    | 'in'
    | 'not_in'
    | 'contains'
    | 'gt'
    | 'gte'
    | 'lt'
    | 'lte'
    | 'is_set'
    | 'is_not_set'
    | 'in_cohort'
    | 'not_in_cohort';
  /** Any JSON value. */
  value?: unknown | undefined;
};
export type Cohort = CohortDefinition & {
  id: string;
};
export type CohortDefinition = {
  name: string;
  match?: Array<Clause> | undefined;
  distinctIds?: Array<string> | undefined;
};
export type ColleagueErasure = {
  sub: string;
};
export type Comment = {
  id: string;
  threadId: string;
  /** null if deleted. */
  body?: string | null | undefined;
  /** Empty if deleted. */
  mentions: Array<string>;
  authorSub: string;
  authorName?: string | null | undefined;
  createdAt: string;
  editedAt?: string | null | undefined;
  deleted: boolean;
  canChange: boolean;
  /** Empty if deleted. */
  reactions: Array<Reaction>;
};
export type CommentRequest = {
  body: string;
  /** Members of the company, by the sub of their access tokens. */
  mentions?: Array<string> | null | undefined;
};
export type Company = CompanyDefinition & {
  id: string;
};
export type CompanyDefinition = {
  name: string;
  plan: {
    tier: string;
    cycle: string;
  };
  entitlements?: Entitlements | undefined;
};
export type Conversation = {
  id: string;
  distinctId: string;
  subject?: string | null | undefined;
  status: ConversationStatus;
  lastTurnAt: string;
  createdAt: string;
  turns: Array<Turn>;
};
export type ConversationStatus = 'open' | 'pending' | 'resolved';
export type ConversationSummary = {
  id: string;
  distinctId: string;
  subject?: string | null | undefined;
  status: ConversationStatus;
  lastTurnAt: string;
  createdAt: string;
};
export type ConversationTokenRevocation = {
  conversationId?: string | undefined;
  /** All conversations of this person. */
  distinctId?: string | undefined;
  /** All conversations of this user. */
  userId?: string | undefined;
};
/** Override the entitlements of the plan, one by one. */
export type Entitlements = {
  articleSearch?: boolean | undefined;
  aiTranslations?: boolean | undefined;
  aiTranslationBytesPerMonth?: number | undefined;
  visitorAttachments?: boolean | undefined;
  [name: string]: unknown;
};
export type Erasure = {
  id: string;
  kind: 'person' | 'colleague' | 'project' | 'company';
  /** Null for a colleague or a company. */
  projectId: string | null;
  /** The deleted company. Null for the other kinds. */
  companyId: string | null;
  state: 'running' | 'done';
  createdAt: string;
  services: Array<{
    region: string;
    service: string;
    /** Null while it is not done. */
    doneAt: string | null;
  }>;
};
export type EventLookupResult = {
  eventId: string;
  state: 'accepted' | 'archived' | 'dead_letter' | 'not_seen';
  accepted: EventPlace;
  archived: {
    /** The object's key, or the path below OBJECTS_FOLDER. */
    file: string;
    /** Counted from 0 in the file; null if the file was removed. */
    row: number | null;
  } | null;
  /** Places of further copies, which were dropped; the first 100. */
  duplicates: Array<EventPlace>;
  /** Places of lines with this event_id that could not be decoded, with the reason; the first 100. */
  deadLetters: Array<
    EventPlace & {
      reason: string;
    }
  >;
  /** Set for not_seen: the event may be among these records. With 0 records it is not in the log. */
  unread: {
    /** Records in the log that the archive has not read yet. */
    records: number;
    /** When the last event that it has read was accepted, on the partition furthest behind. */
    since: string | null;
  } | null;
};
/** Place in the log and time of acceptance, once the archive has read it. */
export type EventPlace = {
  topic: 'events';
  partition: number;
  offset: number;
  /** Line of the record, counted from 0; -1 is the whole record. */
  line: number;
  at: string;
} | null;
export type FlagDefinition = {
  enabled: boolean;
  rolloutPercentage: number;
  description?: string | null | undefined;
  type?: 'boolean' | 'string' | 'number' | 'json' | undefined;
  intent?: 'release' | 'experiment' | 'operational' | 'kill_switch' | 'permission' | 'sunset' | undefined;
  targeting?: Array<Clause> | undefined;
  variations?: Array<Variation> | undefined;
  prerequisites?: Array<Prerequisite> | undefined;
};
export type FlagEntry = {
  key: string;
  enabled: boolean;
  rolloutPercentage: number;
  description?: string | null | undefined;
  type?: 'boolean' | 'string' | 'number' | 'json' | undefined;
  intent?: 'release' | 'experiment' | 'operational' | 'kill_switch' | 'permission' | 'sunset' | undefined;
  targeting?: Array<Clause> | undefined;
  variations?: Array<Variation> | undefined;
  prerequisites?: Array<Prerequisite> | undefined;
};
/** Instead of flag: the properties to replace. */
export type FlagPatch = {
  enabled?: boolean | undefined;
  rolloutPercentage?: number | undefined;
  description?: string | null | undefined;
  type?: 'boolean' | 'string' | 'number' | 'json' | undefined;
  intent?: 'release' | 'experiment' | 'operational' | 'kill_switch' | 'permission' | 'sunset' | undefined;
  targeting?: Array<Clause> | undefined;
  variations?: Array<Variation> | undefined;
  prerequisites?: Array<Prerequisite> | undefined;
};
export type FlagVersion = {
  /** Rises by one with each change of the flag. */
  version: number;
  flag: FlagEntry | null;
  /** The differences from the version before. before or after is absent if unset. */
  changes: Array<{
    property: string;
    before?: unknown | undefined;
    after?: unknown | undefined;
  }>;
  /** The sub of who changed it; null: not known, or erased. */
  author: string | null;
  reason: string | null;
  at: string;
};
export type FunnelQuery = {
  kind: 'funnel';
  range:
    | {
        from: string;
        to: string;
      }
    | {
        last: number;
        unit: 'hour' | 'day' | 'week' | 'month';
      };
  /** IANA name. Default: UTC. */
  timezone?: string | undefined;
  /** Default: day. Weeks begin on Monday. */
  interval?: 'hour' | 'day' | 'week' | 'month' | undefined;
  /** All must match. */
  where?: Array<InsightClause> | undefined;
  /** Only people of this cohort. */
  cohort?: string | undefined;
  steps: Array<{
    event: string;
    /** All must match. */
    where?: Array<InsightClause> | undefined;
    /** Default: the event. */
    name?: string | undefined;
  }>;
  /** Longest time from the first step to the last. Default: 14 days. */
  window?:
    | {
        count: number;
        unit: 'second' | 'minute' | 'hour' | 'day' | 'week';
      }
    | undefined;
  breakdown?: InsightBreakdown | undefined;
  /** Events that may not happen between the first step and a later one. */
  exclude?:
    | Array<{
        event: string;
        /** All must match. */
        where?: Array<InsightClause> | undefined;
      }>
    | undefined;
};
export type HelpCentre = {
  site: HelpCentreSite;
  search: ArticleSearch;
};
export type HelpCentreSite = {
  url: string;
  /** Number of articles. */
  articles: number;
  languages: Array<string>;
  lastReadAt?: string | null | undefined;
  /** Error message of the last read, if it failed. */
  readError?: string | null | undefined;
  capped: boolean;
} | null;
export type IdentitySecretSummary = {
  id: string;
  createdAt: string;
};
export type Insight = {
  /** Every event accepted before this time is included, and some later ones may be. */
  asOf: string;
  report: ReportContent;
};
export type InsightBreakdown = {
  /** A property of the event by its name, or property.<name>, context.<name>, trait.<name>, group.<type>.<trait>, distinct_id or session_id. A dot or backslash in a type has a backslash before it. */
  property: string;
  /** Values shown of each series; the rest is Other. Default: 10. */
  limit?: number | undefined;
};
export type InsightClause = {
  /** A property of the event by its name, or property.<name>, context.<name>, trait.<name>, group.<type>.<trait>, distinct_id or session_id. A dot or backslash in a type has a backslash before it. */
  attribute: string;
  op:
    | 'eq'
    | 'neq'
    | 'in'
    | 'not_in'
    | 'contains'
    | 'gt'
    | 'gte'
    | 'lt'
    | 'lte'
    | 'is_set'
    | 'is_not_set'
    | 'in_cohort'
    | 'not_in_cohort';
  /** Any JSON value. */
  value?: unknown | undefined;
};
export type InsightPerson = {
  /** Every event accepted before this time is included, and some later ones may be. */
  asOf: string;
  distinctId: string;
  traits: Record<string, unknown>;
  groups: Array<{
    type: string;
    id: string;
    traits: Record<string, unknown>;
  }>;
  /** Their ids. */
  cohorts: Array<string>;
  /** A page of them, newest first. */
  events: Array<StoredEvent>;
  nextCursor: string | null;
};
/** At most 100000 bytes of JSON and 200 conditions, of which those of `where` count for each series or step. */
export type InsightQuery = TrendsQuery | FunnelQuery | RetentionQuery | StickinessQuery | LifecycleQuery;
export type LeftServiceToken = {
  id: string;
  name: string;
  permissions: Array<string>;
  revoked: boolean;
};
export type LifecycleQuery = {
  kind: 'lifecycle';
  range:
    | {
        from: string;
        to: string;
      }
    | {
        last: number;
        unit: 'hour' | 'day' | 'week' | 'month';
      };
  /** IANA name. Default: UTC. */
  timezone?: string | undefined;
  /** Default: day. Weeks begin on Monday. */
  interval?: 'hour' | 'day' | 'week' | 'month' | undefined;
  /** All must match. */
  where?: Array<InsightClause> | undefined;
  /** Only people of this cohort. */
  cohort?: string | undefined;
  /** Default: any event. */
  event?: string | undefined;
};
export type Member = MemberDefinition & {
  /** Only for callers with members.read and for the member; null for others. */
  email?: string | null | undefined;
  /** Only for callers with members.read and for the member; empty for others. */
  pushSubscriptions: Array<{
    endpoint: string;
  }>;
  sub: string;
};
export type MemberDefinition = {
  name: string;
  email: string;
  /** The permissions of the member in the company. Each role includes those before it. */
  role: 'viewer' | 'support' | 'editor' | 'admin' | 'owner';
  avatarUrl?: string | null | undefined;
  /** Absent: the subscriptions stay as they are. */
  pushSubscriptions?: Array<PushSubscription> | undefined;
};
export type MemberDefinitionInput = {
  name: string;
  email: string;
  /** The permissions of the member in the company. Each role includes those before it. */
  role?: 'viewer' | 'support' | 'editor' | 'admin' | 'owner' | undefined;
  avatarUrl?: string | null | undefined;
  /** Absent: the subscriptions stay as they are. */
  pushSubscriptions?: Array<PushSubscription> | undefined;
};
export type MessageDefinition = {
  title: string;
  body: string;
  /** The recipients. Default: everyone. */
  distinctIds?: Array<string> | undefined;
};
export type MessengerSettings = {
  enabled: boolean;
  launcherPosition: 'right' | 'left';
  /** Pixels from the corner. */
  launcherOffsetX: number;
  /** Pixels from the corner. */
  launcherOffsetY: number;
  /** A CSS colour of sRGB. */
  accentColor: string;
  /** The hours when the team answers: {timezone, hours} or {timezone, days, from, to}. null: always. */
  availability?: unknown | undefined;
  skin: 'plain' | 'light' | 'dark' | 'soft' | 'bold';
  launcherShape: 'circle' | 'rounded' | 'square' | 'pill';
  launcherFill: 'solid' | 'gradient' | 'soft' | 'outline';
  launcherContent: 'icon' | 'text' | 'both' | 'avatars';
  launcherSize: 'medium' | 'small' | 'large';
  bubbleShape: 'round' | 'rounded' | 'square' | 'tail';
  bubbleFill: 'solid' | 'gradient' | 'soft' | 'outline';
  composerShape: 'round' | 'rounded' | 'square' | 'line';
  namePlacement: 'above' | 'below' | 'inside' | 'none';
  nameAvatar: boolean;
  dayDividers: boolean;
  stampPlacement: 'below' | 'above' | 'inside' | 'beside' | 'none';
  stampContent: 'time' | 'datetime' | 'relative';
  team: Array<TeamMember>;
  texts: Record<string, MessengerTexts>;
};
export type MessengerSettingsInput = {
  enabled?: boolean | undefined;
  launcherPosition?: 'right' | 'left' | undefined;
  /** Pixels from the corner. */
  launcherOffsetX?: number | undefined;
  /** Pixels from the corner. */
  launcherOffsetY?: number | undefined;
  /** A CSS colour of sRGB. */
  accentColor?: string | undefined;
  /** The hours when the team answers: {timezone, hours} or {timezone, days, from, to}. null: always. */
  availability?: unknown | undefined;
  skin?: 'plain' | 'light' | 'dark' | 'soft' | 'bold' | undefined;
  launcherShape?: 'circle' | 'rounded' | 'square' | 'pill' | undefined;
  launcherFill?: 'solid' | 'gradient' | 'soft' | 'outline' | undefined;
  launcherContent?: 'icon' | 'text' | 'both' | 'avatars' | undefined;
  launcherSize?: 'medium' | 'small' | 'large' | undefined;
  bubbleShape?: 'round' | 'rounded' | 'square' | 'tail' | undefined;
  bubbleFill?: 'solid' | 'gradient' | 'soft' | 'outline' | undefined;
  composerShape?: 'round' | 'rounded' | 'square' | 'line' | undefined;
  namePlacement?: 'above' | 'below' | 'inside' | 'none' | undefined;
  nameAvatar?: boolean | undefined;
  dayDividers?: boolean | undefined;
  stampPlacement?: 'below' | 'above' | 'inside' | 'beside' | 'none' | undefined;
  stampContent?: 'time' | 'datetime' | 'relative' | undefined;
  team?: Array<TeamMemberInput> | undefined;
  texts?: Record<string, MessengerTexts> | undefined;
};
export type MessengerTexts = {
  greeting?: string | undefined;
  awayMessage?: string | undefined;
  starterPrompts?: Array<StarterPrompt> | undefined;
};
export type NewApiToken = ApiToken & {
  token: string;
};
export type OperatorConversation = Conversation & {
  turns?:
    | Array<
        Turn & {
          pageContext: PageContext | null;
        }
      >
    | undefined;
  userId: string | null;
  userVerified: boolean;
};
export type OwnCompany = {
  id: string;
  name: string;
  role: 'viewer' | 'support' | 'editor' | 'admin' | 'owner';
  permissions: Array<
    | 'directory.read'
    | 'flags.read'
    | 'cohorts.read'
    | 'messenger.read'
    | 'tokens.own'
    | 'insights.read'
    | 'events.read'
    | 'people.read'
    | 'annotations.read'
    | 'annotations.write'
    | 'comments.read'
    | 'comments.write'
    | 'conversations.read'
    | 'conversations.reply'
    | 'messages.send'
    | 'replays.read'
    | 'flags.write'
    | 'cohorts.write'
    | 'reports.write'
    | 'reports.publish'
    | 'reports.share'
    | 'messenger.write'
    | 'members.read'
    | 'members.write'
    | 'projects.write'
    | 'keys.write'
    | 'secrets.write'
    | 'conversations.revoke'
    | 'tokens.write'
    | 'replays.delete'
    | 'people.erase'
    | 'admins.write'
    | 'company.write'
    | 'audit.read'
    | 'companies.write'
    | 'audit.list'
    | 'companies.list'
    | 'catalogue.read'
    | 'catalogue.write'
    | 'conversations.reply-as'
    | 'projects.throttle'
    | 'erasures.read'
    | 'colleagues.erase'
  >;
};
/** The page from which the turn was sent. Not shown to the visitor. */
export type PageContext = {
  host: string;
  path: string;
  title: string;
};
export type PersonErasure = {
  distinctIds: Array<string>;
  /** The id that your page gave the messenger. */
  userId?: string | undefined;
};
export type Placement = 'tab' | 'first_view' | 'while_typing';
export type Plan = PlanDefinition & {
  tier: string;
  cycle: string;
};
export type PlanDefinition = {
  trialDays: number;
  priced: boolean;
  entitlements: Entitlements;
};
/** The value that another flag must serve: off, on or the key of a variation. */
export type Prerequisite = {
  flagKey: string;
  variationKey: string;
};
export type Project = ProjectDefinition & {
  id: string;
};
export type ProjectDefinition = {
  companyId: string;
  name: string;
  region: string;
  defaultLanguage: string;
  /** The origins of pages that may use the keys of the project. Absent: any. Requests without Origin are not from pages and are accepted. */
  allowedOrigins?: Array<string> | undefined;
};
export type PublicLink = {
  reportId: string;
  token: string;
  /** The public URL of the report. */
  url: string;
  createdAt: string;
  /** The start of expiresOn in UTC. */
  expiresAt: string;
  expiresOn: string;
  /** When the report last ran. */
  ranAt?: string | null | undefined;
};
export type PublicLinkDefinition = {
  expiresOn: string;
};
export type PushSubscription = {
  endpoint: string;
  expirationTime?: number | null | undefined;
  /** Never returned. Absent: those of this endpoint stay as they are. */
  keys?:
    | {
        p256dh: string;
        auth: string;
      }
    | undefined;
};
export type Reaction = {
  emoji: ReactionEmoji;
  count: number;
  reactedByMe: boolean;
};
export type ReactionEmoji = '👍' | '❤️' | '🎯' | '🎉' | '🤔' | '👀';
export type Replay = {
  sessionId: string;
  /** The people it shows, up to 100. */
  distinctIds: Array<string>;
  /** When its first archived chunk was accepted. */
  receivedAt: string;
  /** The earliest event, corrected like `occurred_at` of events if the recorder's clock is wrong. */
  firstAt: string;
  /** The latest event, corrected alike. The events themselves stay as sent. */
  lastAt: string;
  /** Distinct chunks. */
  chunks: number;
  events: number;
  /** Size of the chunks as JSON. */
  bytes: number;
  /** Size of the objects. */
  storedBytes: number;
  /** Whether every chunk is masked. */
  masked: boolean;
  /** Seqs between 0 and the highest without a chunk. */
  missing: number;
  /** Copies of chunks that were dropped. */
  duplicates: number;
  /** Chunks that share their seq with another chunk; all are kept. */
  conflicts: number;
  /** Whether no seq is missing. */
  complete: boolean;
};
export type ReplayManifest = Replay & {
  /** The archived seqs, both ends included; up to 1,000 spans. */
  seqs: Array<{
    from: number;
    to: number;
  }>;
  /** The seqs missing before and between the spans. */
  gaps: Array<{
    from: number;
    to: number;
  }>;
};
export type Report = ReportDefinition & {
  id: string;
  projectId: string;
};
export type ReportContent =
  | {
      kind: 'line';
      title?: string | undefined;
      description?: string | undefined;
      unit?: string | undefined;
      breakdown?: string | undefined;
      /** Default: the sum of the values. null: they do not add up. */
      total?: number | null | undefined;
      /** The same of the period before. */
      previousTotal?: number | null | undefined;
      /** Days (YYYY-MM-DD), hours (YYYY-MM-DDTHH:00) or any other labels, in order. */
      buckets: Array<string>;
      /** The length of each bucket. */
      interval?: 'hour' | 'day' | 'week' | 'month' | undefined;
      series: Array<{
        name: string;
        /** Says that the name, or its end after a colon, is not from data: Other, (none), (empty), New, Returning, Resurrecting or Dormant. */
        builtIn?: 'other' | 'none' | 'empty' | 'new' | 'returning' | 'resurrecting' | 'dormant' | undefined;
        /** Counted by this series, where series count different things. Default: the unit of the report. */
        unit?: string | undefined;
        values: Array<number | null>;
        /** Default: the sum of the values. null: they do not add up. */
        total?: number | null | undefined;
        /** The same of the period before. */
        previousTotal?: number | null | undefined;
        /** The values of the period before, in the places of those they are compared with. */
        previous?: Array<number | null> | undefined;
      }>;
    }
  | {
      kind: 'bar';
      title?: string | undefined;
      description?: string | undefined;
      unit?: string | undefined;
      breakdown?: string | undefined;
      /** Default: the sum of the values. null: they do not add up. */
      total?: number | null | undefined;
      /** The same of the period before. */
      previousTotal?: number | null | undefined;
      /** Days (YYYY-MM-DD), hours (YYYY-MM-DDTHH:00) or any other labels, in order. */
      buckets: Array<string>;
      /** The length of each bucket. */
      interval?: 'hour' | 'day' | 'week' | 'month' | undefined;
      series: Array<{
        name: string;
        /** Says that the name, or its end after a colon, is not from data: Other, (none), (empty), New, Returning, Resurrecting or Dormant. */
        builtIn?: 'other' | 'none' | 'empty' | 'new' | 'returning' | 'resurrecting' | 'dormant' | undefined;
        /** Counted by this series, where series count different things. Default: the unit of the report. */
        unit?: string | undefined;
        values: Array<number | null>;
        /** Default: the sum of the values. null: they do not add up. */
        total?: number | null | undefined;
        /** The same of the period before. */
        previousTotal?: number | null | undefined;
        /** The values of the period before, in the places of those they are compared with. */
        previous?: Array<number | null> | undefined;
      }>;
    }
  | {
      kind: 'funnel';
      title?: string | undefined;
      description?: string | undefined;
      unit?: string | undefined;
      breakdown?: string | undefined;
      steps: Array<{
        name: string;
        count: number;
        /** Median time from the step before; null for the first step and where nobody came. */
        medianSeconds?: number | null | undefined;
      }>;
      series?:
        | Array<{
            name: string;
            /** Says that the name, or its end after a colon, is not from data: Other, (none), (empty), New, Returning, Resurrecting or Dormant. */
            builtIn?:
              | 'other'
              | 'none'
              | 'empty'
              | 'new'
              | 'returning'
              | 'resurrecting'
              | 'dormant'
              | undefined;
            /** Counted by this series, where series count different things. Default: the unit of the report. */
            unit?: string | undefined;
            values: Array<number | null>;
            /** Default: the sum of the values. null: they do not add up. */
            total?: number | null | undefined;
            /** The same of the period before. */
            previousTotal?: number | null | undefined;
            /** The values of the period before, in the places of those they are compared with. */
            previous?: Array<number | null> | undefined;
          }>
        | undefined;
    }
  | {
      kind: 'grid';
      title?: string | undefined;
      description?: string | undefined;
      unit?: string | undefined;
      breakdown?: string | undefined;
      periods: Array<string>;
      /** The length of the interval of each row. */
      interval?: 'hour' | 'day' | 'week' | 'month' | undefined;
      rows: Array<{
        name: string;
        size?: number | undefined;
        values: Array<number | null>;
      }>;
    };
export type ReportDefinition = {
  name: string;
  /** Whether the page of its public link shows annotations to anyone with the address. */
  publicAnnotations: boolean;
  /** The query of the report. null: runs are recorded through the API. */
  query: TrendsQuery | FunnelQuery | RetentionQuery | StickinessQuery | LifecycleQuery | null;
  /** How often it runs. null: only on request. Needs a query. */
  refresh: '15m' | 'hourly' | 'daily' | null;
};
export type ReportDefinitionInput = {
  name: string;
  /** Whether the page of its public link shows annotations to anyone with the address. */
  publicAnnotations?: boolean | undefined;
  /** The query of the report. null: runs are recorded through the API. */
  query?: TrendsQuery | FunnelQuery | RetentionQuery | StickinessQuery | LifecycleQuery | null | undefined;
  /** How often it runs. null: only on request. Needs a query. */
  refresh?: '15m' | 'hourly' | 'daily' | null | undefined;
};
export type ReportRun = {
  /** Any JSON value. */
  report: unknown;
  /** Any JSON value. */
  cohort?: unknown | undefined;
  /** Default: now. */
  ranAt?: string | undefined;
};
export type ReportRunState = {
  /** When the report last ran. null: never. */
  ranAt: string | null;
  /** Why its query failed since. Public links show the last run until it succeeds. */
  failure: {
    failedAt: string;
    code: string;
    message: string;
  } | null;
};
export type RetentionQuery = {
  kind: 'retention';
  range:
    | {
        from: string;
        to: string;
      }
    | {
        last: number;
        unit: 'hour' | 'day' | 'week' | 'month';
      };
  /** IANA name. Default: UTC. */
  timezone?: string | undefined;
  /** Default: day. Weeks begin on Monday. */
  interval?: 'hour' | 'day' | 'week' | 'month' | undefined;
  /** All must match. */
  where?: Array<InsightClause> | undefined;
  /** Only people of this cohort. */
  cohort?: string | undefined;
  start: {
    event: string;
    /** All must match. */
    where?: Array<InsightClause> | undefined;
  };
  return: {
    event: string;
    /** All must match. */
    where?: Array<InsightClause> | undefined;
  };
  periods: number;
  /** first (the default): people by their first start event of all time. every: in each interval with a start event. */
  mode?: 'first' | 'every' | undefined;
};
export type ScheduledChange = {
  key: string;
  at: string;
  flag?: FlagDefinition | undefined;
  patch?: FlagPatch | undefined;
  reason?: string | undefined;
  /** The change fails unless the flag then has this version. */
  ifVersion?: number | undefined;
  id: string;
  /** The sub of who scheduled it, or the id of the service token; null: erased. */
  author: string | null;
  createdAt: string;
  /** Why it was not applied when it was due. null: it waits. */
  failure: {
    failedAt: string;
    message: string;
  } | null;
};
export type ScheduledChangeDefinition = {
  key: string;
  at: string;
  flag?: FlagDefinition | undefined;
  patch?: FlagPatch | undefined;
  reason?: string | undefined;
  /** The change fails unless the flag then has this version. */
  ifVersion?: number | undefined;
};
export type SentMessage = {
  id: string;
  title: string;
  body: string;
  /** False: to the people that it was sent to. */
  toEveryone: boolean;
  createdAt: string;
};
export type ShareRequest = {
  /** Members of the company, by the sub of their access tokens. Duplicates are removed. */
  recipients: Array<string>;
  /** Plain text. */
  note?: string | null | undefined;
  /** The console URL of this report, which the message links to. */
  link: string;
  /** Language of the message: the console language of the sender (BCP 47). */
  language: string;
};
/** html may contain the elements a, b, strong, i, em, code and br. */
export type StarterPrompt = {
  html: string;
  text: string;
};
export type StickinessQuery = {
  kind: 'stickiness';
  range:
    | {
        from: string;
        to: string;
      }
    | {
        last: number;
        unit: 'hour' | 'day' | 'week' | 'month';
      };
  /** IANA name. Default: UTC. */
  timezone?: string | undefined;
  /** Default: day. Weeks begin on Monday. */
  interval?: 'hour' | 'day' | 'week' | 'month' | undefined;
  /** All must match. */
  where?: Array<InsightClause> | undefined;
  /** Only people of this cohort. */
  cohort?: string | undefined;
  series: Array<{
    event: string;
    /** All must match. */
    where?: Array<InsightClause> | undefined;
    /** Default: the event. */
    name?: string | undefined;
  }>;
};
export type StoredEvent = {
  eventId: string;
  name: string;
  distinctId: string;
  sessionId: string | null;
  occurredAt: string;
  receivedAt: string;
  /** Any JSON value. */
  properties: unknown;
  /** Any JSON value. */
  context: unknown;
};
export type TeamMember = {
  name: string;
  /** Empty: those of the name. */
  initials: string;
  tone:
    | ''
    | 'red'
    | 'orange'
    | 'warm'
    | 'yellow'
    | 'green'
    | 'teal'
    | 'cool'
    | 'blue'
    | 'violet'
    | 'purple'
    | 'pink'
    | 'gray';
  /** Path of the avatar endpoint. */
  avatarUrl?: string | null | undefined;
};
export type TeamMemberInput = {
  name: string;
  /** Empty: those of the name. */
  initials?: string | undefined;
  tone?:
    | ''
    | 'red'
    | 'orange'
    | 'warm'
    | 'yellow'
    | 'green'
    | 'teal'
    | 'cool'
    | 'blue'
    | 'violet'
    | 'purple'
    | 'pink'
    | 'gray'
    | undefined;
  /** Path of the avatar endpoint. */
  avatarUrl?: string | null | undefined;
};
export type Teammate = TeammateDefinition & {
  tone?: string | undefined;
  id: string;
  avatarUrl: string | null;
};
export type TeammateDefinition = {
  name: string;
  initials?: string | undefined;
  tone?:
    | ''
    | 'red'
    | 'orange'
    | 'warm'
    | 'yellow'
    | 'green'
    | 'teal'
    | 'cool'
    | 'blue'
    | 'violet'
    | 'purple'
    | 'pink'
    | 'gray'
    | undefined;
};
export type TeammateTurn = {
  /** Default: the caller. Another author needs the permission conversations.reply-as. */
  authorId?: string | undefined;
  body: string;
};
export type Thread = {
  id: string;
  reportId: string;
  anchor?: Anchor | undefined;
  resolved: boolean;
  resolvedAt?: string | null | undefined;
  resolvedBySub?: string | null | undefined;
  createdBySub: string;
  createdAt: string;
  comments: Array<Comment>;
};
export type ThreadRequest = {
  body: string;
  /** Members of the company, by the sub of their access tokens. */
  mentions?: Array<string> | null | undefined;
  anchor?: AnchorRequest | undefined;
};
export type Throttle = {
  projectId: string;
  /** Events, identify and group calls, and replay chunks that ingestion accepts of the project, per second and region. 0: it answers that they were accepted, and drops them. */
  eventsPerSecond: number;
  createdAt: string;
};
export type ThrottleDefinition = {
  /** Events, identify and group calls, and replay chunks that ingestion accepts of the project, per second and region. 0: it answers that they were accepted, and drops them. */
  eventsPerSecond: number;
};
export type TranslationRequest = {
  from: string;
  to: string;
  texts: Array<string>;
};
export type TrendsQuery = {
  kind: 'trends';
  range:
    | {
        from: string;
        to: string;
      }
    | {
        last: number;
        unit: 'hour' | 'day' | 'week' | 'month';
      };
  /** IANA name. Default: UTC. */
  timezone?: string | undefined;
  /** Default: day. Weeks begin on Monday. */
  interval?: 'hour' | 'day' | 'week' | 'month' | undefined;
  /** All must match. */
  where?: Array<InsightClause> | undefined;
  /** Only people of this cohort. */
  cohort?: string | undefined;
  series: Array<{
    event: string;
    /** All must match. */
    where?: Array<InsightClause> | undefined;
    /** Default: the event, and the measure where series of one event have different ones. */
    name?: string | undefined;
    /** Default: events. */
    measure?:
      | 'events'
      | 'people'
      | 'sum'
      | 'average'
      | 'minimum'
      | 'maximum'
      | 'median'
      | 'p90'
      | 'p99'
      | undefined;
    /** The property that sum to p99 measure: numbers, and texts that are numbers. Other values are ignored. */
    property?: string | undefined;
  }>;
  breakdown?: InsightBreakdown | undefined;
  /** Adds the period before. */
  compare?: 'previous' | undefined;
};
export type Turn = {
  id: string;
  authorKind: AuthorKind;
  authorId?: string | null | undefined;
  body: string;
  createdAt: string;
  authorName?: string | null | undefined;
  /** Path of the avatar endpoint. */
  authorAvatarUrl?: string | null | undefined;
  attachments: Array<Attachment>;
};
export type UploadedAttachment = {
  id: string;
  name: string;
  contentType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif' | 'application/pdf';
  bytes: number;
};
/** A value and its weight among the people the flag is on for. */
export type Variation = {
  key: string;
  /** Any JSON value. */
  value: unknown;
  weight: number;
};
/** The input and result of each operation. */
export interface Operations {
  /** Add a reaction to a comment. A person reacts with each emoji at most once. Emoji are accepted with or without U+FE0F. Needs `comments.write`. */
  addReaction: {
    params: {
      projectId: string;
      commentId: string;
      /** Percent-encoded. */
      emoji: '👍' | '❤️' | '🎯' | '🎉' | '🤔' | '👀';
    };
    response: Thread;
  };
  /** Append a turn of a teammate. Sets the status to pending. Repeating an Idempotency-Key in a conversation returns the first turn again. Needs `conversations.reply`. */
  appendTeammateTurn: {
    params: {
      projectId: string;
      id: string;
    };
    headers?: {
      'Idempotency-Key'?: string | undefined;
    };
    body: TeammateTurn;
    response: {
      turn: Turn;
    };
  };
  /** Ask a question about the events of a project. Answers trends, funnel, retention, stickiness and lifecycle questions with a report that a public link can draw. People are distinct ids. A bucket is named after its first day, also where that lies before the range; events outside the range do not count. Send If-None-Match to get 304 while there are no newer events. Needs `insights.read`. */
  askInsight: {
    params: {
      projectId: string;
    };
    body: InsightQuery;
    response: Insight;
  };
  /** Cancel a scheduled change, or forget a failed one. Needs `flags.write`. */
  cancelScheduledChange: {
    params: {
      projectId: string;
      changeId: string;
    };
    response: undefined;
  };
  /** Update an annotation. Replaces the whole annotation: without endsOn it covers a single day, without reportId it applies to the whole project. Open to the author and to holders of the permission service.annotations.write. Needs `annotations.write`. */
  changeAnnotation: {
    params: {
      projectId: string;
      annotationId: string;
    };
    body: AnnotationDefinition;
    response: Annotation;
  };
  /** Update the text and mentions of a comment. Replaces both: without mentions the comment has none. Sets editedAt. People mentioned for the first time get messages. Open to the author only. Needs `comments.write`. */
  changeComment: {
    params: {
      projectId: string;
      commentId: string;
    };
    body: CommentRequest;
    response: Thread;
  };
  /** Create an annotation. With reportId, the annotation is shown on that report. Without it, the annotation is shown on every chart of the project that covers its dates. Needs `annotations.write`. */
  createAnnotation: {
    params: {
      projectId: string;
    };
    body: AnnotationDefinition;
    response: Annotation;
  };
  /** Create a personal access token or a service token. The value is in this response and nowhere else. A token made with a token expires with it. Needs `tokens.own`. */
  createApiToken: {
    params: {
      companyId: string;
    };
    body: ApiTokenDefinitionInput;
    response: NewApiToken;
  };
  /** Create an identity secret. Identity secrets verify the userId of visitors. The value is returned once. As soon as a project has a secret, a userId requires a userHash. Needs `secrets.write`. */
  createIdentitySecret: {
    params: {
      projectId: string;
    };
    response: {
      id: string;
      secret: string;
    };
  };
  /** Create a project key. The key contains the region of the project. Needs `keys.write`. */
  createProjectKey: {
    params: {
      projectId: string;
    };
    response: {
      key: string;
    };
  };
  /** Delete an AI model. Needs `catalogue.write`. */
  deleteAiModel: {
    params: {
      id: string;
    };
    response: undefined;
  };
  /** Delete an annotation. Removes the annotation from every chart. Open to the author and to holders of the permission service.annotations.write. Needs `annotations.write`. */
  deleteAnnotation: {
    params: {
      projectId: string;
      annotationId: string;
    };
    response: undefined;
  };
  /** Delete a cohort. Needs `cohorts.write`. */
  deleteCohort: {
    params: {
      projectId: string;
      cohortId: string;
    };
    response: undefined;
  };
  /** Delete a comment and keep its position. Sets body to null and empties mentions and reactions. Deleting a deleted comment has no effect. Open to the author only. Needs `comments.write`. */
  deleteComment: {
    params: {
      projectId: string;
      commentId: string;
    };
    response: Thread;
  };
  /** Delete a company with its members and projects. Every service then erases what it holds of the company and its projects; list erasures to follow it. Their ids are never used again. 503 after 8 s: the rest is still being deleted; send the request again to wait for it. Needs `company.write`. */
  deleteCompany: {
    params: {
      companyId: string;
    };
    response: undefined;
  };
  /** Delete a flag. Needs `flags.write`. */
  deleteFlag: {
    params: {
      projectId: string;
      key: string;
    };
    query?: {
      /** Why, for the history of the flag. */
      reason?: string | undefined;
    };
    headers?: {
      'If-Match'?: string | undefined;
    };
    response: undefined;
  };
  /** Delete an identity secret. Needs `secrets.write`. */
  deleteIdentitySecret: {
    params: {
      projectId: string;
      id: string;
    };
    response: undefined;
  };
  /** Delete a member of a company. Needs `members.write`. */
  deleteMember: {
    params: {
      companyId: string;
      sub: string;
    };
    query?: {
      /** Whether no service token is revoked. */
      keepServiceTokens?: boolean | undefined;
    };
    response:
      | {
          /** Service tokens that the member made or rotated, and those made with these. Revoked: those that may write members, tokens, keys, secrets or the company beyond what the member may do from now on, unless keepServiceTokens is true. */
          serviceTokens: Array<LeftServiceToken>;
        }
      | undefined;
  };
  /** Delete a plan. Needs `catalogue.write`. */
  deletePlan: {
    params: {
      tier: string;
      cycle: string;
    };
    response: undefined;
  };
  /** Delete a project with its keys and reports. Every service then erases what it holds of the project; list erasures to follow it. The id is never used again. Needs `projects.write`. */
  deleteProject: {
    params: {
      projectId: string;
    };
    response: undefined;
  };
  /** Delete the public link of a report. The URL of the link gets 404 immediately. Needs `reports.publish`. */
  deletePublicLink: {
    params: {
      projectId: string;
      reportId: string;
    };
    response: undefined;
  };
  /** Delete a recorded session. Deletes its rows and objects. Chunks that arrive later are dropped. Needs `replays.delete`. */
  deleteReplay: {
    params: {
      projectId: string;
      sessionId: string;
    };
    response: undefined;
  };
  /** Delete a saved report. Needs `reports.write`. */
  deleteReport: {
    params: {
      projectId: string;
      reportId: string;
    };
    response: undefined;
  };
  /** Stop throttling a project. Needs `projects.throttle`. */
  deleteThrottle: {
    params: {
      projectId: string;
    };
    response: undefined;
  };
  /** Erase a colleague from every company and project. Ends the memberships at once. sub is the subject of the access tokens of the colleague. Needs `colleagues.erase`. */
  eraseColleague: { body: ColleagueErasure; response: Erasure };
  /** Erase a person from a project. Every service erases what it holds of the person once it has read what the event log held at the request. Stop sending their data first. Needs `people.erase`. */
  erasePerson: {
    params: {
      projectId: string;
    };
    body: PersonErasure;
    response: Erasure;
  };
  /** Find an event. Returns where an event of the last seven days is: its file and row in the archive, its place in the log, and whether copies were dropped as duplicates or could not be decoded. Needs `events.read`. */
  findEvent: {
    params: {
      projectId: string;
      eventId: string;
    };
    response: EventLookupResult;
  };
  /** Get the markup on AI model prices. Needs `catalogue.read`. */
  getAiMarkup: { response: AiMarkup };
  /** Get an AI model. Needs `catalogue.read`. */
  getAiModel: {
    params: {
      id: string;
    };
    response: AiModel;
  };
  /** Get a cohort. Needs `cohorts.read`. */
  getCohort: {
    params: {
      projectId: string;
      cohortId: string;
    };
    response: Cohort;
  };
  /** Get a company. Needs `directory.read`. */
  getCompany: {
    params: {
      companyId: string;
    };
    response: Company;
  };
  /** Get the state of an erasure. Needs `erasures.read`. */
  getErasure: {
    params: {
      erasureId: string;
    };
    response: Erasure;
  };
  /** Get a flag. Needs `flags.read`. */
  getFlag: {
    params: {
      projectId: string;
      key: string;
    };
    response: FlagEntry;
  };
  /** Get the help site and article search. site is null until a refresh finds one. search is off with placement tab until you change it. Needs `messenger.read`. */
  getHelpCentre: {
    params: {
      projectId: string;
    };
    response: HelpCentre;
  };
  /** Get who is calling, and what they may do. Returns the person of the access token and their companies with their role and permissions in each. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. */
  getMe: {
    query?: {
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      sub: string;
      /** As in the access token. */
      name: string | null;
      companies: Array<OwnCompany>;
      nextCursor: string | null;
    };
  };
  /** Get a member of a company. Needs `directory.read`. */
  getMember: {
    params: {
      companyId: string;
      sub: string;
    };
    response: Member;
  };
  /** Get the messenger configuration of a project. Needs `messenger.read`. */
  getMessengerSettings: {
    params: {
      projectId: string;
    };
    response: MessengerSettings;
  };
  /** Look at a person. Returns the traits, groups and cohorts of a distinct id as they are now, and its events of the last 30 days, newest first. For an unknown person, all of them are empty. Send If-None-Match to get 304 while there are no newer events. Returns up to 20 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `people.read`. */
  getPerson: {
    params: {
      projectId: string;
      distinctId: string;
    };
    query?: {
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: InsightPerson;
  };
  /** Get a plan. Needs `catalogue.read`. */
  getPlan: {
    params: {
      tier: string;
      cycle: string;
    };
    response: Plan;
  };
  /** Get a project. Needs `directory.read`. */
  getProject: {
    params: {
      projectId: string;
    };
    response: Project;
  };
  /** Get the public link of a report. Gets 404 if the link was turned off or has expired. Needs `directory.read`. */
  getPublicLink: {
    params: {
      projectId: string;
      reportId: string;
    };
    response: PublicLink;
  };
  /** Get the manifest of a recorded session. Needs `replays.read`. */
  getReplay: {
    params: {
      projectId: string;
      sessionId: string;
    };
    response: ReplayManifest;
  };
  /** Get a saved report. Needs `directory.read`. */
  getReport: {
    params: {
      projectId: string;
      reportId: string;
    };
    response: Report;
  };
  /** Get when a report last ran. Needs `directory.read`. */
  getReportRunState: {
    params: {
      projectId: string;
      reportId: string;
    };
    response: ReportRunState;
  };
  /** Get a teammate. Needs `messenger.read`. */
  getTeammate: {
    params: {
      projectId: string;
      userId: string;
    };
    response: Teammate;
  };
  /** Get the throttle of a project. Needs `projects.throttle`. */
  getThrottle: {
    params: {
      projectId: string;
    };
    response: Throttle;
  };
  /** List annotations in a date range. Returns the annotations of the project that overlap the range, both ends included, sorted by startsOn, createdAt and id. With reportId, the annotations of that report are included. An unknown reportId gets 404. Needs `annotations.read`. */
  listAnnotations: {
    params: {
      projectId: string;
    };
    query: {
      from: string;
      to: string;
      reportId?: string | undefined;
    };
    response: {
      annotations: Array<Annotation>;
    };
  };
  /** List tokens, newest first. One's own personal tokens; with tokens.write, all of the company. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `tokens.own`. */
  listApiTokens: {
    params: {
      companyId: string;
    };
    query?: {
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      tokens: Array<ApiToken>;
      nextCursor: string | null;
    };
  };
  /** Read the audit trail of the deployment. Newest first. An entry appears within a second or two. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `audit.list`. */
  listAudit: {
    query?: {
      /** The id of a person or of a token. */
      actor?: string | undefined;
      action?: string | undefined;
      object?: string | undefined;
      outcome?: 'allowed' | 'refused' | undefined;
      /** The earliest time. */
      from?: string | undefined;
      /** The time before which. */
      to?: string | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
      /** ndjson: every entry that matches, one per line, without pages. So does Accept: application/x-ndjson. */
      format?: 'json' | 'ndjson' | undefined;
    };
    response: {
      entries: Array<AuditEntry>;
      nextCursor: string | null;
    };
  };
  /** List the cohorts of a project. Needs `cohorts.read`. */
  listCohorts: {
    params: {
      projectId: string;
    };
    response: {
      cohorts: Array<{
        id: string;
        name: string;
        match?: Array<Clause> | undefined;
      }>;
    };
  };
  /** List companies. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `companies.list`. */
  listCompanies: {
    query?: {
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      companies: Array<Company>;
      nextCursor: string | null;
    };
  };
  /** Read the audit trail of a company and its projects. Newest first. An entry appears within a second or two. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `audit.read`. */
  listCompanyAudit: {
    params: {
      companyId: string;
    };
    query?: {
      /** The id of a person or of a token. */
      actor?: string | undefined;
      action?: string | undefined;
      object?: string | undefined;
      outcome?: 'allowed' | 'refused' | undefined;
      /** The earliest time. */
      from?: string | undefined;
      /** The time before which. */
      to?: string | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
      /** ndjson: every entry that matches, one per line, without pages. So does Accept: application/x-ndjson. */
      format?: 'json' | 'ndjson' | undefined;
    };
    response: {
      entries: Array<AuditEntry>;
      nextCursor: string | null;
    };
  };
  /** List the conversations of a project. Returns up to 50 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `conversations.read`. */
  listConversations: {
    params: {
      projectId: string;
    };
    query?: {
      status?: ConversationStatus | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      conversations: Array<ConversationSummary>;
      nextCursor: string | null;
    };
  };
  /** List erasures. Newest first. Deleting a project or company begins its erasure. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `erasures.read`. */
  listErasures: {
    query?: {
      state?: 'running' | 'done' | undefined;
      kind?: 'person' | 'colleague' | 'project' | 'company' | undefined;
      projectId?: string | undefined;
      companyId?: string | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      erasures: Array<Erasure>;
      nextCursor: string | null;
    };
  };
  /** List the names of the events of a project. Returns names with their number of events and when the last one occurred, the commonest first. Send If-None-Match to get 304 while there are no newer events. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `insights.read`. */
  listEventNames: {
    params: {
      projectId: string;
    };
    query?: {
      /** Default: the start of the day 90 days ago, in UTC. */
      since?: string | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      /** Every event accepted before this time is included, and some later ones may be. */
      asOf: string;
      /** From when events are counted: since, or by default as long ago as the events that one question may read. */
      since: string;
      eventNames: Array<{
        name: string;
        count: number;
        lastSeenAt: string;
      }>;
      nextCursor: string | null;
    };
  };
  /** List the properties of events of a name. Returns the properties of the last 10,000 events of a name, the commonest first, with the types of their values and the 10 commonest values. Send If-None-Match to get 304 while there are no newer events. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `insights.read`. */
  listEventProperties: {
    params: {
      projectId: string;
      name: string;
    };
    query?: {
      /** Default: the start of the day 30 days ago, in UTC. */
      since?: string | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      /** Every event accepted before this time is included, and some later ones may be. */
      asOf: string;
      /** From when events are counted: since, or by default as long ago as the events that one question may read. */
      since: string;
      properties: Array<{
        /** As questions name it: property.<name> where the name alone would be something else. */
        name: string;
        count: number;
        types: Array<'text' | 'number' | 'boolean' | 'null' | 'object' | 'list'>;
        values: Array<{
          value: string;
          count: number;
        }>;
      }>;
      nextCursor: string | null;
    };
  };
  /** List the latest events of a project. Newest first by when they occurred. Send If-None-Match to get 304 while there are no newer events. Returns up to 100 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `events.read`. */
  listEvents: {
    params: {
      projectId: string;
    };
    query?: {
      name?: string | undefined;
      distinct_id?: string | undefined;
      /** Default: the start of the day 30 days ago, in UTC. */
      since?: string | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      /** Every event accepted before this time is included, and some later ones may be. */
      asOf: string;
      events: Array<StoredEvent>;
      nextCursor: string | null;
    };
  };
  /** List the versions of a flag, newest first. Also of a deleted flag. The last 200 versions are kept. Returns up to 50 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `flags.read`. */
  listFlagVersions: {
    params: {
      projectId: string;
      key: string;
    };
    query?: {
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      versions: Array<FlagVersion>;
      nextCursor: string | null;
    };
  };
  /** List the flags of a project. Needs `flags.read`. */
  listFlags: {
    params: {
      projectId: string;
    };
    response: {
      flags: Array<FlagEntry>;
    };
  };
  /** List the identity secrets of a project. Active secrets, oldest first, without their values. A value is returned once, on creation. Needs `secrets.write`. */
  listIdentitySecrets: {
    params: {
      projectId: string;
    };
    response: {
      secrets: Array<IdentitySecretSummary>;
    };
  };
  /** List all AI models with prices before the markup. Needs `catalogue.read`. */
  listManagedAiModels: {
    response: {
      models: Array<AiModel>;
    };
  };
  /** List all plans in order of creation. Needs `catalogue.read`. */
  listManagedPlans: {
    response: {
      plans: Array<Plan>;
    };
  };
  /** List the members of a company. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `directory.read`. */
  listMembers: {
    params: {
      companyId: string;
    };
    query?: {
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      members: Array<Member>;
      nextCursor: string | null;
    };
  };
  /** List the projects of all companies of the caller. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. */
  listOwnProjects: {
    query?: {
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      projects: Array<Project>;
      nextCursor: string | null;
    };
  };
  /** Read the audit trail of a project. Newest first. An entry appears within a second or two. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `audit.read`. */
  listProjectAudit: {
    params: {
      projectId: string;
    };
    query?: {
      /** The id of a person or of a token. */
      actor?: string | undefined;
      action?: string | undefined;
      object?: string | undefined;
      outcome?: 'allowed' | 'refused' | undefined;
      /** The earliest time. */
      from?: string | undefined;
      /** The time before which. */
      to?: string | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
      /** ndjson: every entry that matches, one per line, without pages. So does Accept: application/x-ndjson. */
      format?: 'json' | 'ndjson' | undefined;
    };
    response: {
      entries: Array<AuditEntry>;
      nextCursor: string | null;
    };
  };
  /** List the keys of a project. Needs `keys.write`. */
  listProjectKeys: {
    params: {
      projectId: string;
    };
    response: {
      keys: Array<string>;
    };
  };
  /** List the projects of a company. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `directory.read`. */
  listProjects: {
    params: {
      companyId: string;
    };
    query?: {
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      projects: Array<Project>;
      nextCursor: string | null;
    };
  };
  /** List the recorded sessions of a project. Newest first. distinct_id selects the sessions of a person. Returns up to 50 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `replays.read`. */
  listReplays: {
    params: {
      projectId: string;
    };
    query?: {
      distinct_id?: string | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      replays: Array<Replay>;
      nextCursor: string | null;
    };
  };
  /** List the saved reports of a project. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `directory.read`. */
  listReports: {
    params: {
      projectId: string;
    };
    query?: {
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      reports: Array<Report>;
      nextCursor: string | null;
    };
  };
  /** List the scheduled changes of flags. Those that wait and those that failed, by time. key selects those of a flag. Returns up to 50 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `flags.read`. */
  listScheduledChanges: {
    params: {
      projectId: string;
    };
    query?: {
      key?: string | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      changes: Array<ScheduledChange>;
      nextCursor: string | null;
    };
  };
  /** List the in-app messages of a project. Newest first. Returns up to 50 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `messages.send`. */
  listSentMessages: {
    params: {
      projectId: string;
    };
    query?: {
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      messages: Array<SentMessage>;
      nextCursor: string | null;
    };
  };
  /** List the teammates of a project. Needs `messenger.read`. */
  listTeammates: {
    params: {
      projectId: string;
    };
    response: {
      team: Array<Teammate>;
    };
  };
  /** List the comment threads of a report. Threads are sorted by createdAt and id, comments by creation. A deleted comment keeps its position. Needs `comments.read`. */
  listThreads: {
    params: {
      projectId: string;
      reportId: string;
    };
    response: {
      threads: Array<Thread>;
    };
  };
  /** List the projects that are throttled. Returns up to 200 per page, or limit. To read on, send the nextCursor of the page before as cursor; it is null on the last page. Needs `projects.throttle`. */
  listThrottles: {
    query?: {
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    response: {
      throttles: Array<Throttle>;
      nextCursor: string | null;
    };
  };
  /** Set the markup on AI model prices. A markup that raises a published price above 2^53 - 1 gets 400. Needs `catalogue.write`. */
  putAiMarkup: { body: AiMarkup; response: AiMarkup };
  /** Create or replace an AI model. Prices are before the markup. A price gets 400 if its published value exceeds 2^53 - 1. Needs `catalogue.write`. */
  putAiModel: {
    params: {
      id: string;
    };
    body: AiModelDefinition;
    response: AiModel;
  };
  /** Turn article search on or off. Sets both on and placement. Turning article search on requires a plan that includes it; otherwise the response is 402 PLAN_REQUIRED, even if it was on before. Turning it off is always allowed. Needs `messenger.write`. */
  putArticleSearch: {
    params: {
      projectId: string;
    };
    body: ArticleSearch;
    response: ArticleSearch;
  };
  /** Create or replace a cohort. Needs `cohorts.write`. */
  putCohort: {
    params: {
      projectId: string;
      cohortId: string;
    };
    body: CohortDefinition;
    response: Cohort & {
      /** Clauses that are probably not meant as they are, each with its path. Absent: none. */
      warnings?: Array<string> | undefined;
    };
  };
  /** Create or replace a company. Needs `company.write`. */
  putCompany: {
    params: {
      companyId: string;
    };
    body: CompanyDefinition;
    response: Company;
  };
  /** Set the status of a conversation. Needs `conversations.reply`. */
  putConversationStatus: {
    params: {
      projectId: string;
      id: string;
    };
    body: {
      status: ConversationStatus;
    };
    response: {
      status: ConversationStatus;
    };
  };
  /** Create or replace a flag. Gets 400 for a cycle of prerequisites, an unknown prerequisite, a negative weight, weights that sum to 0 or to more than 1,000,000, or a value that does not have the type of the flag. Needs `flags.write`. */
  putFlag: {
    params: {
      projectId: string;
      key: string;
    };
    query?: {
      /** Why, for the history of the flag. */
      reason?: string | undefined;
    };
    headers?: {
      'If-Match'?: string | undefined;
    };
    body: FlagDefinition;
    response: FlagEntry & {
      /** Clauses that are probably not meant as they are, each with its path. Absent: none. */
      warnings?: Array<string> | undefined;
    };
  };
  /** Create or replace a member of a company. sub is the subject of the access tokens of the person. A lesser role than before revokes service tokens as a deletion does, and serviceTokens lists them; otherwise it is empty. Needs `members.write`. */
  putMember: {
    params: {
      companyId: string;
      sub: string;
    };
    query?: {
      /** Whether no service token is revoked. */
      keepServiceTokens?: boolean | undefined;
    };
    body: MemberDefinitionInput;
    response: Member & {
      /** Service tokens that the member made or rotated, and those made with these. Revoked: those that may write members, tokens, keys, secrets or the company beyond what the member may do from now on, unless keepServiceTokens is true. */
      serviceTokens: Array<LeftServiceToken>;
    };
  };
  /** Create or replace the messenger configuration. Every setting has a default, so {} is a configuration. The html of starter prompts may contain a, b, strong, i, em, code and br, and http(s) and mailto links; anything else is removed. avatarUrl of a team member is a path returned by the avatar upload. Needs `messenger.write`. */
  putMessengerSettings: {
    params: {
      projectId: string;
    };
    body: MessengerSettingsInput;
    response: MessengerSettings;
  };
  /** Create or replace a plan. Replacing a plan keeps its position in the public catalogue. Needs `catalogue.write`. */
  putPlan: {
    params: {
      tier: string;
      cycle: string;
    };
    body: PlanDefinition;
    response: Plan;
  };
  /** Create or replace a project. An unknown companyId gets 400. Needs `projects.write`. */
  putProject: {
    params: {
      projectId: string;
    };
    body: ProjectDefinition;
    response: Project;
  };
  /** Create a public link or change its expiry. expiresOn is a day after today and at most 90 days ahead, in UTC. The link expires when that day begins. Changing the expiry of an active link keeps its token; a link that was turned off or has expired gets a new token. Needs `reports.publish`. */
  putPublicLink: {
    params: {
      projectId: string;
      reportId: string;
    };
    body: PublicLinkDefinition;
    response: PublicLink;
  };
  /** Create or replace a saved report. Needs `reports.write`. */
  putReport: {
    params: {
      projectId: string;
      reportId: string;
    };
    body: ReportDefinitionInput;
    response: Report;
  };
  /** Create or replace a teammate. A teammate answers visitors. Replacing one keeps the avatar. Needs `messenger.write`. */
  putTeammate: {
    params: {
      projectId: string;
      userId: string;
    };
    body: TeammateDefinition;
    response: Teammate;
  };
  /** Upload the avatar of a teammate. Send the raw bytes of a PNG, JPEG, WebP or SVG image of up to 1 MB, not a multipart form. The type is detected from the bytes. Needs `messenger.write`. */
  putTeammateAvatar: {
    params: {
      projectId: string;
      userId: string;
    };
    body: Uint8Array<ArrayBuffer> | Blob;
    response: {
      url: string;
    };
  };
  /** Throttle a project, or drop its events. Holds in every region within seconds, until it is deleted. Past the rate ingestion answers 429 with Retry-After. Needs `projects.throttle`. */
  putThrottle: {
    params: {
      projectId: string;
    };
    body: ThrottleDefinition;
    response: Throttle;
  };
  /** Get a conversation as an operator. Needs `conversations.read`. */
  readConversation: {
    params: {
      projectId: string;
      id: string;
    };
    query?: {
      /** The id of a turn: only the turns after it are returned. */
      after?: string | undefined;
    };
    response: OperatorConversation;
  };
  /** Read the events of a recorded session. One JSON array in the order of seq, streamed, as rrweb players take it. If the body ends before the array does, reading failed; retry. Needs `replays.read`. */
  readReplayEvents: {
    params: {
      projectId: string;
      sessionId: string;
    };
    response: Array<unknown>;
  };
  /** Record a run of a report. The public link of the report shows the latest run. Needs `reports.write`. */
  recordReportRun: {
    params: {
      projectId: string;
      reportId: string;
    };
    body: ReportRun;
    response: {
      ranAt: string;
    };
  };
  /** Look up the help site of the company. Asks the help-site provider for the site of the company, stores the result and returns it. If the provider fails, a stored site is kept and gets readError; without a stored site the response is 502 HELP_SITE_FAILED. Limit: 10 per minute for a company. Needs `messenger.write`. */
  refreshHelpCentre: {
    params: {
      projectId: string;
    };
    response: HelpCentre;
  };
  /** Remove a reaction from a comment. Removes the reaction of the caller. Has no effect if there is none. Needs `comments.write`. */
  removeReaction: {
    params: {
      projectId: string;
      commentId: string;
      /** Percent-encoded. */
      emoji: '👍' | '❤️' | '🎯' | '🎉' | '🤔' | '👀';
    };
    response: Thread;
  };
  /** Reopen a comment thread. Clears resolvedAt and resolvedBySub. Needs `comments.write`. */
  reopenThread: {
    params: {
      projectId: string;
      threadId: string;
    };
    response: Thread;
  };
  /** Reply to a comment thread. A resolved thread stays resolved. Mentions as for a new thread. Needs `comments.write`. */
  replyToThread: {
    params: {
      projectId: string;
      threadId: string;
    };
    body: CommentRequest;
    response: Thread;
  };
  /** Resolve a comment thread. Sets resolvedAt and resolvedBySub. Resolving a resolved thread changes neither. Needs `comments.write`. */
  resolveThread: {
    params: {
      projectId: string;
      threadId: string;
    };
    response: Thread;
  };
  /** Give a flag the state of an earlier version. Makes a new version. A deleted flag is created again. Needs `flags.write`. */
  restoreFlagVersion: {
    params: {
      projectId: string;
      key: string;
    };
    headers?: {
      'If-Match'?: string | undefined;
    };
    body: {
      /** Rises by one with each change of the flag. */
      version: number;
      reason?: string | undefined;
    };
    response: FlagEntry;
  };
  /** Revoke a token. One's own personal token, or with tokens.write any of the company. In force within a second. Needs `tokens.own`. */
  revokeApiToken: {
    params: {
      companyId: string;
      tokenId: string;
    };
    response: undefined;
  };
  /** Revoke visitors' conversation tokens. Revokes the tokens of one conversation, or of all conversations of a person. The conversations stay; the visitor can open new ones. Sockets that follow them are closed within seconds. Needs `conversations.revoke`. */
  revokeConversationTokens: {
    params: {
      projectId: string;
    };
    body: ConversationTokenRevocation;
    response: {
      revoked: number;
    };
  };
  /** Revoke a project key. Needs `keys.write`. */
  revokeProjectKey: {
    params: {
      projectId: string;
      key: string;
    };
    response: undefined;
  };
  /** Give a token a new value. One's own personal token, or with tokens.write a service token. Needs `tokens.own`. */
  rotateApiToken: {
    params: {
      companyId: string;
      tokenId: string;
    };
    body: ApiTokenRotationInput;
    response: NewApiToken;
  };
  /** Run a saved report soon. Its public link shows the run within seconds. A report runs once at a time. Needs `reports.write`. */
  runReport: {
    params: {
      projectId: string;
      reportId: string;
    };
    response: undefined;
  };
  /** Schedule a change of a flag. It is made once, within seconds of its time, as a version by its author, who needs the permission at that time too: the changes of a removed member or of a revoked or expired token fail. A failed change alters nothing and is kept with the reason. Deleting the flag fails those that wait. Needs `flags.write`. */
  scheduleFlagChange: {
    params: {
      projectId: string;
    };
    body: ScheduledChangeDefinition;
    response: ScheduledChange & {
      /** Clauses that are probably not meant as they are, each with its path. Absent: none. */
      warnings?: Array<string> | undefined;
    };
  };
  /** Send an in-app message. Repeating an Idempotency-Key in a project sends nothing and returns the id of the first message. Needs `messages.send`. */
  sendMessage: {
    params: {
      projectId: string;
    };
    headers?: {
      'Idempotency-Key'?: string | undefined;
    };
    body: MessageDefinition;
    response: {
      id: string;
    };
  };
  /** Send a report to teammates by email and push. link is the console URL of this report, with an optional query and fragment. Messages are available in en, de, fr, es, pt, it, nl, pl and ja: language is matched exactly, then by its primary subtag, then falls back to en. A recipient who is not a member of the company gets 400. E-mails are retried for about a day, pushes for an hour. sent is the number of recipients. Repeating an Idempotency-Key of a person and report returns the first answer and sends nothing. Limits: 60 shares per hour and person, 300 per hour and company. Needs `reports.share`. */
  shareReport: {
    params: {
      projectId: string;
      reportId: string;
    };
    headers?: {
      'Idempotency-Key'?: string | undefined;
    };
    body: ShareRequest;
    response: {
      sent: number;
    };
  };
  /** Start a comment thread on a report. Without anchor, the thread is about the whole report. Mentioning someone who is not a member of the company gets 400. People mentioned get an e-mail and pushes a minute later, in a language of Accept-Language, unless they have listed the threads by then. Limits: 60 comments with mentions per hour and person, 300 per hour and company. Needs `comments.write`. */
  startThread: {
    params: {
      projectId: string;
      reportId: string;
    };
    body: ThreadRequest;
    response: Thread;
  };
  /** Translate messenger texts with AI. Returns one translation per text, in order, and stores nothing. A text may have 4,000 UTF-8 bytes, a request 20,000. The inline markup of starter prompts is preserved. An empty list, or a request where from equals to, needs no AI provider. The entitlement aiTranslationBytesPerMonth of the plan limits the volume per month. Needs `messenger.write`. */
  translateTexts: {
    params: {
      projectId: string;
    };
    body: TranslationRequest;
    response: {
      texts: Array<string>;
    };
  };
}
export const ROUTES = {
  addReaction: {
    service: 'collaboration',
    method: 'put',
    path: '/v1/projects/{projectId}/comments/{commentId}/reactions/{emoji}',
  },
  appendTeammateTurn: {
    service: 'messenger',
    method: 'post',
    path: '/management/v1/projects/{projectId}/conversations/{id}/turns',
    isIdempotent: true,
  },
  askInsight: { service: 'analytics', method: 'post', path: '/v1/projects/{projectId}/insights' },
  cancelScheduledChange: {
    service: 'flags',
    method: 'delete',
    path: '/management/v1/projects/{projectId}/scheduled-changes/{changeId}',
  },
  changeAnnotation: {
    service: 'collaboration',
    method: 'patch',
    path: '/v1/projects/{projectId}/annotations/{annotationId}',
  },
  changeComment: {
    service: 'collaboration',
    method: 'patch',
    path: '/v1/projects/{projectId}/comments/{commentId}',
  },
  createAnnotation: {
    service: 'collaboration',
    method: 'post',
    path: '/v1/projects/{projectId}/annotations',
  },
  createApiToken: {
    service: 'catalogue',
    method: 'post',
    path: '/management/v1/companies/{companyId}/tokens',
  },
  createIdentitySecret: {
    service: 'messenger',
    method: 'post',
    path: '/management/v1/projects/{projectId}/identity-secrets',
  },
  createProjectKey: {
    service: 'catalogue',
    method: 'post',
    path: '/management/v1/projects/{projectId}/keys',
  },
  deleteAiModel: { service: 'catalogue', method: 'delete', path: '/management/v1/ai/models/{id}' },
  deleteAnnotation: {
    service: 'collaboration',
    method: 'delete',
    path: '/v1/projects/{projectId}/annotations/{annotationId}',
  },
  deleteCohort: {
    service: 'flags',
    method: 'delete',
    path: '/management/v1/projects/{projectId}/cohorts/{cohortId}',
  },
  deleteComment: {
    service: 'collaboration',
    method: 'delete',
    path: '/v1/projects/{projectId}/comments/{commentId}',
  },
  deleteCompany: { service: 'catalogue', method: 'delete', path: '/management/v1/companies/{companyId}' },
  deleteFlag: { service: 'flags', method: 'delete', path: '/management/v1/projects/{projectId}/flags/{key}' },
  deleteIdentitySecret: {
    service: 'messenger',
    method: 'delete',
    path: '/management/v1/projects/{projectId}/identity-secrets/{id}',
  },
  deleteMember: {
    service: 'catalogue',
    method: 'delete',
    path: '/management/v1/companies/{companyId}/members/{sub}',
  },
  deletePlan: { service: 'catalogue', method: 'delete', path: '/management/v1/plans/{tier}/{cycle}' },
  deleteProject: { service: 'catalogue', method: 'delete', path: '/management/v1/projects/{projectId}' },
  deletePublicLink: {
    service: 'collaboration',
    method: 'delete',
    path: '/v1/projects/{projectId}/reports/{reportId}/public-link',
  },
  deleteReplay: {
    service: 'archive',
    method: 'delete',
    path: '/management/v1/projects/{projectId}/replays/{sessionId}',
  },
  deleteReport: {
    service: 'catalogue',
    method: 'delete',
    path: '/management/v1/projects/{projectId}/reports/{reportId}',
  },
  deleteThrottle: { service: 'catalogue', method: 'delete', path: '/management/v1/throttles/{projectId}' },
  eraseColleague: { service: 'catalogue', method: 'post', path: '/management/v1/erasures' },
  erasePerson: { service: 'catalogue', method: 'post', path: '/management/v1/projects/{projectId}/erasures' },
  findEvent: {
    service: 'archive',
    method: 'get',
    path: '/management/v1/projects/{projectId}/events/{eventId}',
  },
  getAiMarkup: { service: 'catalogue', method: 'get', path: '/management/v1/ai/markup' },
  getAiModel: { service: 'catalogue', method: 'get', path: '/management/v1/ai/models/{id}' },
  getCohort: {
    service: 'flags',
    method: 'get',
    path: '/management/v1/projects/{projectId}/cohorts/{cohortId}',
  },
  getCompany: { service: 'catalogue', method: 'get', path: '/management/v1/companies/{companyId}' },
  getErasure: { service: 'catalogue', method: 'get', path: '/management/v1/erasures/{erasureId}' },
  getFlag: { service: 'flags', method: 'get', path: '/management/v1/projects/{projectId}/flags/{key}' },
  getHelpCentre: {
    service: 'messenger',
    method: 'get',
    path: '/v1/projects/{projectId}/messenger/help-centre',
  },
  getMe: { service: 'catalogue', method: 'get', path: '/v1/me' },
  getMember: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/companies/{companyId}/members/{sub}',
  },
  getMessengerSettings: {
    service: 'messenger',
    method: 'get',
    path: '/management/v1/projects/{projectId}/messenger/config',
  },
  getPerson: { service: 'analytics', method: 'get', path: '/v1/projects/{projectId}/people/{distinctId}' },
  getPlan: { service: 'catalogue', method: 'get', path: '/management/v1/plans/{tier}/{cycle}' },
  getProject: { service: 'catalogue', method: 'get', path: '/management/v1/projects/{projectId}' },
  getPublicLink: {
    service: 'collaboration',
    method: 'get',
    path: '/v1/projects/{projectId}/reports/{reportId}/public-link',
  },
  getReplay: {
    service: 'archive',
    method: 'get',
    path: '/management/v1/projects/{projectId}/replays/{sessionId}',
  },
  getReport: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/projects/{projectId}/reports/{reportId}',
  },
  getReportRunState: {
    service: 'collaboration',
    method: 'get',
    path: '/management/v1/projects/{projectId}/reports/{reportId}/runs/last',
  },
  getTeammate: {
    service: 'messenger',
    method: 'get',
    path: '/management/v1/projects/{projectId}/team/{userId}',
  },
  getThrottle: { service: 'catalogue', method: 'get', path: '/management/v1/throttles/{projectId}' },
  listAnnotations: {
    service: 'collaboration',
    method: 'get',
    path: '/v1/projects/{projectId}/annotations',
    items: 'annotations',
  },
  listApiTokens: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/companies/{companyId}/tokens',
    items: 'tokens',
  },
  listAudit: { service: 'catalogue', method: 'get', path: '/management/v1/audit', items: 'entries' },
  listCohorts: {
    service: 'flags',
    method: 'get',
    path: '/management/v1/projects/{projectId}/cohorts',
    items: 'cohorts',
  },
  listCompanies: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/companies',
    items: 'companies',
  },
  listCompanyAudit: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/companies/{companyId}/audit',
    items: 'entries',
  },
  listConversations: {
    service: 'messenger',
    method: 'get',
    path: '/management/v1/projects/{projectId}/conversations',
    items: 'conversations',
  },
  listErasures: { service: 'catalogue', method: 'get', path: '/management/v1/erasures', items: 'erasures' },
  listEventNames: { service: 'analytics', method: 'get', path: '/v1/projects/{projectId}/event-names' },
  listEventProperties: {
    service: 'analytics',
    method: 'get',
    path: '/v1/projects/{projectId}/event-names/{name}/properties',
  },
  listEvents: {
    service: 'analytics',
    method: 'get',
    path: '/v1/projects/{projectId}/events',
    items: 'events',
  },
  listFlagVersions: {
    service: 'flags',
    method: 'get',
    path: '/management/v1/projects/{projectId}/flags/{key}/versions',
    items: 'versions',
  },
  listFlags: {
    service: 'flags',
    method: 'get',
    path: '/management/v1/projects/{projectId}/flags',
    items: 'flags',
  },
  listIdentitySecrets: {
    service: 'messenger',
    method: 'get',
    path: '/management/v1/projects/{projectId}/identity-secrets',
    items: 'secrets',
  },
  listManagedAiModels: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/ai/models',
    items: 'models',
  },
  listManagedPlans: { service: 'catalogue', method: 'get', path: '/management/v1/plans', items: 'plans' },
  listMembers: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/companies/{companyId}/members',
    items: 'members',
  },
  listOwnProjects: { service: 'catalogue', method: 'get', path: '/v1/projects', items: 'projects' },
  listProjectAudit: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/projects/{projectId}/audit',
    items: 'entries',
  },
  listProjectKeys: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/projects/{projectId}/keys',
    items: 'keys',
  },
  listProjects: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/companies/{companyId}/projects',
    items: 'projects',
  },
  listReplays: {
    service: 'archive',
    method: 'get',
    path: '/management/v1/projects/{projectId}/replays',
    items: 'replays',
  },
  listReports: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/projects/{projectId}/reports',
    items: 'reports',
  },
  listScheduledChanges: {
    service: 'flags',
    method: 'get',
    path: '/management/v1/projects/{projectId}/scheduled-changes',
    items: 'changes',
  },
  listSentMessages: {
    service: 'messenger',
    method: 'get',
    path: '/management/v1/projects/{projectId}/messages',
    items: 'messages',
  },
  listTeammates: {
    service: 'messenger',
    method: 'get',
    path: '/management/v1/projects/{projectId}/team',
    items: 'team',
  },
  listThreads: {
    service: 'collaboration',
    method: 'get',
    path: '/v1/projects/{projectId}/reports/{reportId}/comment-threads',
    items: 'threads',
  },
  listThrottles: {
    service: 'catalogue',
    method: 'get',
    path: '/management/v1/throttles',
    items: 'throttles',
  },
  putAiMarkup: { service: 'catalogue', method: 'put', path: '/management/v1/ai/markup' },
  putAiModel: { service: 'catalogue', method: 'put', path: '/management/v1/ai/models/{id}' },
  putArticleSearch: {
    service: 'messenger',
    method: 'put',
    path: '/v1/projects/{projectId}/messenger/article-search',
  },
  putCohort: {
    service: 'flags',
    method: 'put',
    path: '/management/v1/projects/{projectId}/cohorts/{cohortId}',
  },
  putCompany: { service: 'catalogue', method: 'put', path: '/management/v1/companies/{companyId}' },
  putConversationStatus: {
    service: 'messenger',
    method: 'put',
    path: '/management/v1/projects/{projectId}/conversations/{id}/status',
  },
  putFlag: { service: 'flags', method: 'put', path: '/management/v1/projects/{projectId}/flags/{key}' },
  putMember: {
    service: 'catalogue',
    method: 'put',
    path: '/management/v1/companies/{companyId}/members/{sub}',
  },
  putMessengerSettings: {
    service: 'messenger',
    method: 'put',
    path: '/management/v1/projects/{projectId}/messenger/config',
  },
  putPlan: { service: 'catalogue', method: 'put', path: '/management/v1/plans/{tier}/{cycle}' },
  putProject: { service: 'catalogue', method: 'put', path: '/management/v1/projects/{projectId}' },
  putPublicLink: {
    service: 'collaboration',
    method: 'put',
    path: '/v1/projects/{projectId}/reports/{reportId}/public-link',
  },
  putReport: {
    service: 'catalogue',
    method: 'put',
    path: '/management/v1/projects/{projectId}/reports/{reportId}',
  },
  putTeammate: {
    service: 'messenger',
    method: 'put',
    path: '/management/v1/projects/{projectId}/team/{userId}',
  },
  putTeammateAvatar: {
    service: 'messenger',
    method: 'put',
    path: '/management/v1/projects/{projectId}/team/{userId}/avatar',
    isBinary: true,
  },
  putThrottle: { service: 'catalogue', method: 'put', path: '/management/v1/throttles/{projectId}' },
  readConversation: {
    service: 'messenger',
    method: 'get',
    path: '/management/v1/projects/{projectId}/conversations/{id}',
  },
  readReplayEvents: {
    service: 'archive',
    method: 'get',
    path: '/management/v1/projects/{projectId}/replays/{sessionId}/events',
  },
  recordReportRun: {
    service: 'collaboration',
    method: 'post',
    path: '/management/v1/projects/{projectId}/reports/{reportId}/runs',
  },
  refreshHelpCentre: {
    service: 'messenger',
    method: 'post',
    path: '/v1/projects/{projectId}/messenger/help-centre/refresh',
  },
  removeReaction: {
    service: 'collaboration',
    method: 'delete',
    path: '/v1/projects/{projectId}/comments/{commentId}/reactions/{emoji}',
  },
  reopenThread: {
    service: 'collaboration',
    method: 'delete',
    path: '/v1/projects/{projectId}/comment-threads/{threadId}/resolution',
  },
  replyToThread: {
    service: 'collaboration',
    method: 'post',
    path: '/v1/projects/{projectId}/comment-threads/{threadId}/comments',
  },
  resolveThread: {
    service: 'collaboration',
    method: 'put',
    path: '/v1/projects/{projectId}/comment-threads/{threadId}/resolution',
  },
  restoreFlagVersion: {
    service: 'flags',
    method: 'post',
    path: '/management/v1/projects/{projectId}/flags/{key}/restore',
  },
  revokeApiToken: {
    service: 'catalogue',
    method: 'delete',
    path: '/management/v1/companies/{companyId}/tokens/{tokenId}',
  },
  revokeConversationTokens: {
    service: 'messenger',
    method: 'post',
    path: '/management/v1/projects/{projectId}/conversation-token-revocations',
  },
  revokeProjectKey: {
    service: 'catalogue',
    method: 'delete',
    path: '/management/v1/projects/{projectId}/keys/{key}',
  },
  rotateApiToken: {
    service: 'catalogue',
    method: 'post',
    path: '/management/v1/companies/{companyId}/tokens/{tokenId}/rotate',
  },
  runReport: {
    service: 'analytics',
    method: 'post',
    path: '/management/v1/projects/{projectId}/reports/{reportId}/run',
  },
  scheduleFlagChange: {
    service: 'flags',
    method: 'post',
    path: '/management/v1/projects/{projectId}/scheduled-changes',
  },
  sendMessage: {
    service: 'messenger',
    method: 'post',
    path: '/management/v1/projects/{projectId}/messages',
    isIdempotent: true,
  },
  shareReport: {
    service: 'collaboration',
    method: 'post',
    path: '/v1/projects/{projectId}/reports/{reportId}/shares',
    isIdempotent: true,
  },
  startThread: {
    service: 'collaboration',
    method: 'post',
    path: '/v1/projects/{projectId}/reports/{reportId}/comment-threads',
  },
  translateTexts: {
    service: 'messenger',
    method: 'post',
    path: '/v1/projects/{projectId}/messenger/translations',
  },
} as const;
