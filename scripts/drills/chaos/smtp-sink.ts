import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';

/**
 * What can be wrong with a mail server: it does not listen; it accepts connections and never answers; it
 * refuses mails temporarily or for good; it closes the connection in the middle of a message, or after it has
 * accepted one and before it says so; it is slow.
 */
export type SmtpTrouble =
  | 'smtp-refused'
  | 'smtp-hangs'
  | 'smtp-4xx'
  | 'smtp-5xx'
  | 'smtp-drops'
  | 'smtp-cuts'
  | 'smtp-slow';

/** A mail that the server accepted. */
export interface AcceptedMail {
  messageId: string;
  recipients: readonly string[];
  /** The address for replies. */
  replyTo: string;
  subject: string;
  text: string;
  atMs: number;
  /** Whether the connection was cut before the server said so. */
  cut: boolean;
}

/** A mail server that accepts everything, remembers it, and can simulate troubles. */
export interface SmtpSink {
  url: string;
  mails: readonly AcceptedMail[];
  /**
   * Emits `mail` when a mail was accepted and this is not answered yet, and `met` when a trouble has affected
   * a mail.
   */
  events: EventEmitter;
  /** The present trouble. */
  readonly trouble: SmtpTrouble | undefined;
  /** Starts a trouble, or ends it. */
  apply(trouble: SmtpTrouble | undefined): Promise<void>;
  /** How many mails a trouble has affected. */
  met(trouble: SmtpTrouble): number;
  close(): Promise<void>;
}

const SLOW_MS = 1_500;

type Callback = (error?: Error | null) => void;

/** Starts the mail server on a port, where it listens again after each refusal. */
export async function startSmtpSink(port: number): Promise<SmtpSink> {
  const sink = new Sink(port);
  await sink.open();
  return sink;
}

class Sink implements SmtpSink {
  readonly url: string;
  readonly mails: AcceptedMail[] = [];
  readonly events = new EventEmitter();
  readonly #port: number;
  readonly #sockets = new Map<number, Socket>();
  readonly #met = new Map<SmtpTrouble, number>();
  #trouble: SmtpTrouble | undefined;
  #server: SMTPServer | undefined;

  constructor(port: number) {
    this.#port = port;
    this.url = `smtp://127.0.0.1:${port}`;
  }

  async open(): Promise<void> {
    const server = new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      disabledCommands: ['STARTTLS'],
      onConnect: (_session, callback) => this.#answer(callback),
      onMailFrom: (_address, _session, callback) => this.#answer(callback),
      onRcptTo: (_address, _session, callback) => this.#answerRecipient(callback),
      onData: (stream, session, callback) => void this.#receive(stream, session, callback),
    });
    // The worker's connections end in every possible way.
    server.on('error', () => {});
    server.server.on('connection', (socket: Socket) => this.#remember(socket));
    await once(server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#server = server;
  }

  get trouble(): SmtpTrouble | undefined {
    return this.#trouble;
  }

  met = (trouble: SmtpTrouble): number => this.#met.get(trouble) ?? 0;

  async apply(trouble: SmtpTrouble | undefined): Promise<void> {
    if (this.#trouble === 'smtp-hangs') this.#cutAll();
    this.#trouble = trouble;
    if (trouble === 'smtp-refused') await this.close();
    else if (!this.#server) await this.open();
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#cutAll();
    if (server) await new Promise<void>((resolve) => server.close(resolve));
  }

  #cutAll(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  #remember(socket: Socket): void {
    const { remotePort = 0 } = socket;
    this.#sockets.set(remotePort, socket);
    socket.once('close', () => this.#sockets.delete(remotePort));
  }

  #meet(trouble: SmtpTrouble): void {
    this.#met.set(trouble, this.met(trouble) + 1);
    this.events.emit('met');
  }

  #answer(callback: Callback): void {
    if (this.#trouble === 'smtp-hangs') this.#meet('smtp-hangs');
    else callback();
  }

  /** Every second refusal comes at this command, the others after the message. */
  #answerRecipient(callback: Callback): void {
    const refusal = refusalOf(this.#trouble);
    if (refusal && this.met(refusal.trouble) % 2 === 0) this.#refuse(refusal, callback);
    else this.#answer(callback);
  }

  #refuse({ trouble, error }: Refusal, callback: Callback): void {
    this.#meet(trouble);
    callback(error);
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession, callback: Callback) {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream) {
        if (this.#trouble === 'smtp-drops') return this.#cut('smtp-drops', session);
        chunks.push(chunk);
      }
    } catch {
      return;
    }
    const refusal = refusalOf(this.#trouble);
    if (refusal) return this.#refuse(refusal, callback);
    if (this.#trouble === 'smtp-hangs') return this.#meet('smtp-hangs');
    if (this.#trouble === 'smtp-slow') {
      this.#meet('smtp-slow');
      await pause(SLOW_MS);
    }
    const { cut } = await this.#accept(Buffer.concat(chunks), session);
    if (cut) this.#cut('smtp-cuts', session);
    else setImmediate(callback);
  }

  async #accept(message: Buffer, { envelope }: SMTPServerSession): Promise<AcceptedMail> {
    const { messageId = '', replyTo: [answered] = [], ...parsed } = await PostalMime.parse(message);
    const { subject = '', text = '' } = parsed;
    const replyTo = answered?.address ?? '';
    const recipients = envelope.rcptTo.map(({ address }) => address);
    const cut = this.#trouble === 'smtp-cuts';
    const mail = { messageId, recipients, replyTo, subject, text, atMs: Date.now(), cut };
    this.mails.push(mail);
    this.events.emit('mail');
    return mail;
  }

  #cut(trouble: SmtpTrouble, { remotePort }: SMTPServerSession): void {
    this.#meet(trouble);
    this.#sockets.get(remotePort)?.destroy();
  }
}

/** The answer of a server that refuses a mail. */
interface Refusal {
  trouble: SmtpTrouble;
  error: Error;
}

/** The refusal of the server in a trouble, if the trouble is one of refusing. */
function refusalOf(trouble: SmtpTrouble | undefined): Refusal | undefined {
  if (trouble === 'smtp-4xx') return refusal(trouble, 451, '4.3.0 Try again later');
  if (trouble === 'smtp-5xx') return refusal(trouble, 550, '5.3.0 Not taken');
  return undefined;
}

function refusal(trouble: SmtpTrouble, responseCode: number, message: string): Refusal {
  return { trouble, error: Object.assign(new Error(message), { responseCode }) };
}
