import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { findFreePort } from './ports.ts';

/**
 * What can be wrong with a mail server besides refusals: it does not listen; it accepts connections and never answers; it
 * closes the connection after it has accepted a message and before it says so.
 */
export type SmtpTrouble = 'smtp-refused' | 'smtp-hangs' | 'smtp-cuts';

export interface SmtpRefusal {
  responseCode: number;
  message: string;
}

export interface AcceptedMail {
  messageId: string;
  recipients: readonly string[];
  subject: string;
  text: string;
  atMs: number;
  /** Whether the connection was cut before the server said so. */
  cut: boolean;
}

type Callback = (error?: Error | null) => void;

/** Starts a mail server. */
export async function startMailServer(): Promise<MailServer> {
  const server = new MailServer(await findFreePort());
  await server.open();
  return server;
}

/** A real SMTP server that records what it accepts, and refuses, hangs and drops as it is asked. */
export class MailServer {
  readonly url: string;
  readonly mails: AcceptedMail[] = [];
  readonly parsed: Email[] = [];
  /** Emits `mail` with a mail that was accepted while this is not answered yet, `answered` with its parts once it is. */
  readonly events = new EventEmitter();
  trouble: SmtpTrouble | undefined;
  readonly #port: number;
  readonly #sockets = new Map<number, Socket>();
  readonly #holds: { reach: () => void; released: Promise<unknown> }[] = [];
  #refusalOf = (_address: string): SmtpRefusal | undefined => undefined;
  #refusesSessions: SmtpRefusal | undefined;
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
      onConnect: (_session, callback) => this.#answer(callback, this.#refusesSessions),
      onMailFrom: (_address, _session, callback) => this.#answer(callback),
      onRcptTo: ({ address }, _session, callback) => void this.#answerRecipient(address, callback),
      onData: (stream, session, callback) => void this.#receive(stream, session, callback),
    });
    // The product's connections end in every possible way.
    server.on('error', () => {});
    server.server.on('connection', (socket: Socket) => {
      const { remotePort = 0 } = socket;
      this.#sockets.set(remotePort, socket);
      socket.once('close', () => this.#sockets.delete(remotePort));
    });
    await once(server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#server = server;
  }

  async nextMail(): Promise<Email> {
    const [mail] = await once(this.events, 'answered');
    return mail;
  }

  /** Refuses every recipient from now on, or only some; undefined accepts all again. */
  refuse(refusal: SmtpRefusal | undefined, isRefused = (_address: string) => true): void {
    this.#refusalOf = (address) => (isRefused(address) ? refusal : undefined);
  }

  refuseSession(refusal: SmtpRefusal | undefined): void {
    this.#refusesSessions = refusal;
  }

  /** Delays the answer to the next recipient until it is released. */
  hold(): { reached: Promise<unknown>; release: () => void } {
    const events = new EventEmitter();
    this.#holds.push({ reach: () => events.emit('reached'), released: once(events, 'released') });
    return { reached: once(events, 'reached'), release: () => void events.emit('released') };
  }

  async apply(trouble: SmtpTrouble | undefined): Promise<void> {
    if (this.trouble === 'smtp-hangs') this.#cutAll();
    this.trouble = trouble;
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

  #answer(callback: Callback, refusal?: SmtpRefusal): void {
    if (this.trouble === 'smtp-hangs') return;
    callback(refusal && Object.assign(new Error(refusal.message), refusal));
  }

  async #answerRecipient(address: string, callback: Callback): Promise<void> {
    const hold = this.#holds.shift();
    hold?.reach();
    await hold?.released;
    this.#answer(callback, this.#refusalOf(address));
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession, callback: Callback) {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream) chunks.push(chunk);
    } catch {
      // The client hung up.
      return;
    }
    if (this.trouble === 'smtp-hangs') return;
    const email = await PostalMime.parse(Buffer.concat(chunks));
    if (this.#accept(email, session).cut) {
      this.#sockets.get(session.remotePort)?.destroy();
      return;
    }
    setImmediate(() => {
      callback();
      this.events.emit('answered', email);
    });
  }

  #accept(email: Email, { envelope }: SMTPServerSession): AcceptedMail {
    const { messageId = '', subject = '', text = '' } = email;
    const recipients = envelope.rcptTo.map(({ address }) => address);
    const cut = this.trouble === 'smtp-cuts';
    const mail = { messageId, recipients, subject, text, atMs: Date.now(), cut };
    this.mails.push(mail);
    this.parsed.push(email);
    this.events.emit('mail', mail);
    return mail;
  }
}
