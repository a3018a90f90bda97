/** A client's socket. */
export interface Socket {
  send(message: object): void;
  /** Subscribes the socket to a topic. Returns false if it has reached `maxTopicsPerSocket`. */
  join(topic: string): boolean;
  close(code: number, reason: string): void;
}

/** A close code and its reason. */
export interface Refusal {
  code: number;
  reason: string;
}

/** The plan for a socket, decided before it opens. */
export type SocketPlan = { refuse: Refusal } | AcceptedPlan;

export interface AcceptedPlan {
  /** The client's credential, such as a project key. The socket closes when `refusalOf` rejects it. */
  credential?: string;
  onOpen?(socket: Socket): void | Promise<void>;
  /** Called for one message at a time, in order. A rejection closes the socket with 1011. */
  onMessage?(socket: Socket, text: string): void | Promise<void>;
}

/** The plan for an event stream. */
export interface StreamPlan extends Pick<AcceptedPlan, 'credential' | 'onOpen'> {
  /** Called once, when the stream has ended. */
  onClose?(): void;
  /** Returns a message in the format of `text/event-stream`, including the final empty line. */
  encode(message: object): string;
}
