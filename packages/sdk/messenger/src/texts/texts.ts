/** The widget's own texts in one language. `{0}` is replaced. */
export interface Texts {
  /** The language tag for dates and numbers. */
  tag: string;
  isRightToLeft?: true;
  chat: string;
  open: string;
  close: string;
  unread: string;
  messenger: string;
  back: string;
  write: string;
  suggestions: string;
  ask: string;
  conversations: string;
  news: string;
  isNew: string;
  here: string;
  away: string;
  /** {0} is a day and time. */
  backAt: string;
  support: string;
  assistant: string;
  you: string;
  today: string;
  yesterday: string;
  now: string;
  placeholder: string;
  send: string;
  attach: string;
  remove: string;
  drop: string;
  uploading: string;
  sending: string;
  waiting: string;
  failed: string;
  retry: string;
  discard: string;
  offline: string;
  resolved: string;
  tooLarge: string;
  wrongType: string;
  tooMany: string;
  notUploaded: string;
  download: string;
  enlarge: string;
  earlier: string;
  history: string;
  /** {0} is a name. */
  typing: string;
  read: string;
  closed: string;
  rate: string;
  /** {0} is a number from 1 to 5. */
  score: string;
  comment: string;
  rateNow: string;
  thanks: string;
  change: string;
}

export const fill = (text: string, value: string) => text.replace('{0}', () => value);
