/** A client's socket. */
export interface Socket {
  send(message: object): void;
  /** Subscribes the socket to a topic. Returns false when it has reached `maxTopicsPerSocket`. */
  join(topic: string): boolean;
  close(code: number, reason: string): void;
}

/** A close code and its reason. */
export interface Refusal {
  code: number;
  reason: string;
}

/** What to do with a socket, decided before it opens. */
export type SocketPlan = { refuse: Refusal } | AcceptedPlan;

export interface AcceptedPlan {
  /** What the client opened the socket with, such as a project key. The socket closes when `refusalOf` refuses it. */
  credential?: string;
  onOpen?(socket: Socket): void | Promise<void>;
  /** Called for one message at a time, in order. A rejection closes the socket with 1011. */
  onMessage?(socket: Socket, text: string): void | Promise<void>;
}

/** What to do with an event stream. */
export interface StreamPlan extends Pick<AcceptedPlan, 'credential' | 'onOpen'> {
  /** A message in the format of `text/event-stream`, with the empty line at its end. */
  encode(message: object): string;
}
